// What runs in the lab's pods: `pause` holds a sandbox's namespaces, `serve` answers HTTP with its host name, `get URL`
// prints what another one answers.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) < 2 {
		os.Exit(2)
	}
	switch {
	case os.Args[1] == "pause":
		pause()
	case os.Args[1] == "serve":
		go pause()
		must(http.ListenAndServe(":8080", http.HandlerFunc(answer)))
	case os.Args[1] == "get" && len(os.Args) == 3:
		response, err := http.Get(os.Args[2])
		must(err)
		_, err = io.Copy(os.Stdout, response.Body)
		must(err)
	default:
		os.Exit(2)
	}
}

func answer(writer http.ResponseWriter, _ *http.Request) {
	name, err := os.Hostname()
	must(err)
	fmt.Fprintln(writer, name)
}

func pause() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	<-signals
	os.Exit(0)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
