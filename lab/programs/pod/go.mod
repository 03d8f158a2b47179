module slipway/lab/programs/pod

go 1.26
