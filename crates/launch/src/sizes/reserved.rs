//! What a node keeps for itself: kubelet and system, and the memory below which pods are evicted.

use super::quantity::Quantity;

/// Upper ends and rates, ascending; the first begins at nothing.
type Brackets = [(f64, f64)];

const CPU_RATES: &Brackets = &[(1.0, 0.06), (2.0, 0.04), (4.0, 0.02), (f64::MAX, 0.01)];
const MEMORY_RATES: &Brackets = &[(4.0, 0.25), (8.0, 0.20), (16.0, 0.10), (128.0, 0.06), (f64::MAX, 0.02)];

/// CPU and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    /// CPU.
    pub cpu: Quantity,
    /// Memory.
    pub memory: Quantity,
}

/// Memory below which pods are evicted.
pub const EVICTION_MEMORY: Quantity = Quantity::Bytes(750 << 20);

/// What AKS reserves for the system beside kubelet: nothing.
pub const SYSTEM_RESERVED: Reservation = Reservation { cpu: Quantity::Milli(0), memory: Quantity::Bytes(0) };

/// What is reserved for kubelet and the container runtime on a machine of this size.
///
/// Double arithmetic cut towards zero, as the peer does it on amd64: 120 CPUs give 1299m, not 1300m.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the arithmetic is the interface"
)]
pub fn kube_reserved(cpus: i64, memory_gib: f64) -> Reservation {
    let cpu = (1000.0 * progressive(CPU_RATES, cpus as f64)) as i64;
    let memory = (1024.0 * progressive(MEMORY_RATES, memory_gib)) as i64;
    Reservation { cpu: Quantity::Milli(cpu), memory: Quantity::Bytes(memory.saturating_mul(1 << 20)) }
}

fn progressive(brackets: &Brackets, amount: f64) -> f64 {
    let (mut taken, mut lower) = (0.0, 0.0);
    for &(upper, rate) in brackets {
        if lower > amount {
            break;
        }
        taken += (upper.min(amount) - lower) * rate;
        lower = upper;
    }
    taken
}
