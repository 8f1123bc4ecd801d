module pilotlight/pgo

go 1.21
