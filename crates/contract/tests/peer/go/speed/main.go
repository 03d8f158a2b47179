// Command speed times protojson on the contract's generated types. Each line it reads asks for one round of
// that many decodings; it answers with their nanoseconds and allocations. The text is the file it is given.
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"slipway.dev/peer/contract"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	options := protojson.UnmarshalOptions{DiscardUnknown: true}
	for {
		var times int
		if _, err := fmt.Scan(&times); err != nil {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range times {
			if err := options.Unmarshal(text, &contract.Configuration{}); err != nil {
				panic(err)
			}
		}
		spent := time.Since(start)
		runtime.ReadMemStats(&after)
		fmt.Println(spent.Nanoseconds(), after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc)
	}
}
