// Command peer is protobuf-go, made to answer questions about the messages in schema/.
//
//	peer answer FIELDS ENUMS [FIELDS ENUMS...]   reads texts, says what protojson makes of each
//	peer generate FIELDS ENUMS                   writes the Go types that protoc-gen-go makes of the messages
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 || len(args)%2 == 0 {
		return errors.New("usage: peer answer|generate FIELDS ENUMS [FIELDS ENUMS...]")
	}
	switch args[0] {
	case "generate":
		return generate(args[1], args[2])
	case "answer":
		var roots []protoreflect.MessageDescriptor
		for tables := args[1:]; len(tables) > 0; tables = tables[2:] {
			root, err := firstMessage(tables[0], tables[1], fmt.Sprintf("peer/table%d", len(roots)))
			if err != nil {
				return err
			}
			roots = append(roots, root)
		}
		out := bufio.NewWriter(os.Stdout)
		if err := answer(roots, bufio.NewReader(os.Stdin), out); err != nil {
			return err
		}
		return out.Flush()
	}
	return fmt.Errorf("%s is not a command", args[0])
}

func generate(fields, enums string) error {
	file, err := readTables(fields, enums, "slipway.dev/peer/contract")
	if err != nil {
		return err
	}
	plugin, err := protogen.Options{}.New(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file.GetName()},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{file},
	})
	if err != nil {
		return err
	}
	text, err := internal_gengo.GenerateFile(plugin, plugin.Files[0]).Content()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

func firstMessage(fields, enums, goPackage string) (protoreflect.MessageDescriptor, error) {
	file, err := readTables(fields, enums, goPackage)
	if err != nil {
		return nil, err
	}
	described, err := protodesc.NewFile(file, nil)
	if err != nil {
		return nil, err
	}
	return described.Messages().Get(0), nil
}

// answer reads questions until there are no more. A question is the number of the table and a text, an answer
// is the error (empty for none) and the message that was left behind. Texts are preceded by their length.
func answer(roots []protoreflect.MessageDescriptor, in io.Reader, out io.Writer) error {
	read := protojson.UnmarshalOptions{DiscardUnknown: true}
	write := protojson.MarshalOptions{UseProtoNames: true}
	for {
		var question struct{ Table, Length uint32 }
		if err := binary.Read(in, binary.LittleEndian, &question); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		text := make([]byte, question.Length)
		if _, err := io.ReadFull(in, text); err != nil {
			return err
		}
		message := dynamicpb.NewMessage(roots[question.Table])
		problem := ""
		if err := read.Unmarshal(text, message); err != nil {
			problem = err.Error()
		}
		left, err := write.Marshal(message)
		if err != nil {
			return err
		}
		for _, part := range [][]byte{[]byte(problem), left} {
			if err := binary.Write(out, binary.LittleEndian, uint32(len(part))); err != nil {
				return err
			}
			if _, err := out.Write(part); err != nil {
				return err
			}
		}
	}
}
