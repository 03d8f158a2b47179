// Command speed times Go's libraries on the contract's generated types. Each line it reads names a piece of work and
// how often to do it; it answers with the nanoseconds, allocations and octets that took. The contract is the file it
// is given.
package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"os"
	"runtime"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"slipway.dev/peer/contract"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// customData does what a producer with Go's libraries has to do: the contract as indented JSON, in base64, inside a
// script, inside a MIME document of two parts, in base64.
func customData(message *contract.Configuration) string {
	text, err := protojson.MarshalOptions{UseProtoNames: true, Indent: "  "}.Marshal(message)
	check(err)
	script := fmt.Sprintf("#cloud-boothook\n#!/bin/bash\nbase64 -d >/opt/contract <<'EOF'\n%s\nEOF\nchmod 0600 /opt/contract\n",
		base64.StdEncoding.EncodeToString(text))
	var document bytes.Buffer
	writer := multipart.NewWriter(&document)
	fmt.Fprintf(&document, "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"%s\"\r\n\r\n", writer.Boundary())
	for _, part := range [][2]string{{"text/cloud-boothook", script}, {"text/cloud-config", "#cloud-config\nruncmd:\n- echo done\n"}} {
		body, err := writer.CreatePart(textproto.MIMEHeader{
			"Content-Type": {part[0]}, "Mime-Version": {"1.0"}, "Content-Transfer-Encoding": {"7bit"},
		})
		check(err)
		_, err = body.Write([]byte(part[1]))
		check(err)
	}
	check(writer.Close())
	return base64.StdEncoding.EncodeToString(document.Bytes())
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	options := protojson.UnmarshalOptions{DiscardUnknown: true}
	message := &contract.Configuration{}
	check(options.Unmarshal(text, message))
	work := map[string]func(){
		"decode":      func() { check(options.Unmarshal(text, &contract.Configuration{})) },
		"custom-data": func() { customData(message) },
	}
	for {
		var name string
		var times int
		if _, err := fmt.Scan(&name, &times); err != nil {
			return
		}
		once := work[name]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range times {
			once()
		}
		spent := time.Since(start)
		runtime.ReadMemStats(&after)
		fmt.Println(spent.Nanoseconds(), after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc)
	}
}
