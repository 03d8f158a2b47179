package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

var scalars = map[string]descriptorpb.FieldDescriptorProto_Type{
	"bool":   descriptorpb.FieldDescriptorProto_TYPE_BOOL,
	"int32":  descriptorpb.FieldDescriptorProto_TYPE_INT32,
	"int64":  descriptorpb.FieldDescriptorProto_TYPE_INT64,
	"uint32": descriptorpb.FieldDescriptorProto_TYPE_UINT32,
	"uint64": descriptorpb.FieldDescriptorProto_TYPE_UINT64,
	"float":  descriptorpb.FieldDescriptorProto_TYPE_FLOAT,
	"double": descriptorpb.FieldDescriptorProto_TYPE_DOUBLE,
	"string": descriptorpb.FieldDescriptorProto_TYPE_STRING,
	"bytes":  descriptorpb.FieldDescriptorProto_TYPE_BYTES,
}

// schema is a proto file in the making.
type schema struct {
	file  *descriptorpb.FileDescriptorProto
	enums map[string]bool
}

// readTables makes a proto file of a table of fields and a table of enum values.
func readTables(fields, enums, goPackage string) (*descriptorpb.FileDescriptorProto, error) {
	name := goPackage[strings.LastIndex(goPackage, "/")+1:]
	s := schema{
		file: &descriptorpb.FileDescriptorProto{
			Name:    proto.String(name + ".proto"),
			Package: proto.String(name),
			Syntax:  proto.String("proto3"),
			Options: &descriptorpb.FileOptions{GoPackage: proto.String(goPackage)},
		},
		enums: map[string]bool{},
	}
	if err := eachRow(enums, 3, s.addEnumValue); err != nil {
		return nil, err
	}
	if err := eachRow(fields, 9, s.addField); err != nil {
		return nil, err
	}
	for _, message := range s.file.MessageType {
		nameOptionals(message)
	}
	return s.file, nil
}

func eachRow(path string, columns int, add func([]string) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for index, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != columns {
			return fmt.Errorf("%s:%d: %d columns expected", path, index+2, columns)
		}
		if err := add(cells); err != nil {
			return fmt.Errorf("%s:%d: %w", path, index+2, err)
		}
	}
	return nil
}

func (s *schema) addEnumValue(cells []string) error {
	number, err := strconv.ParseInt(cells[2], 10, 32)
	if err != nil {
		return err
	}
	if !s.enums[cells[0]] {
		s.enums[cells[0]] = true
		s.file.EnumType = append(s.file.EnumType, &descriptorpb.EnumDescriptorProto{Name: proto.String(cells[0])})
	}
	last := s.file.EnumType[len(s.file.EnumType)-1]
	last.Value = append(last.Value, &descriptorpb.EnumValueDescriptorProto{
		Name:   proto.String(cells[1]),
		Number: proto.Int32(int32(number)),
	})
	return nil
}

func (s *schema) addField(cells []string) error {
	owner, name, kind, label, jsonName := cells[0], cells[1], cells[3], cells[4], cells[5]
	number, err := strconv.ParseInt(cells[2], 10, 32)
	if err != nil {
		return err
	}
	count := len(s.file.MessageType)
	if count == 0 || s.file.MessageType[count-1].GetName() != owner {
		s.file.MessageType = append(s.file.MessageType, &descriptorpb.DescriptorProto{Name: proto.String(owner)})
		count++
	}
	message := s.file.MessageType[count-1]
	field := s.field(name, int32(number), kind)
	field.JsonName = proto.String(jsonName)
	switch oneof, isOneof := strings.CutPrefix(label, "oneof:"); {
	case isOneof:
		field.OneofIndex = proto.Int32(oneofIndex(message, oneof))
	case label == "optional":
		field.Proto3Optional = proto.Bool(true)
	case label == "repeated":
		field.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	case label == "map":
		inner := strings.TrimSuffix(strings.TrimPrefix(kind, "map<"), ">")
		key, value, found := strings.Cut(inner, ",")
		if !found {
			return fmt.Errorf("%s is not a map", kind)
		}
		entry := strings.ToUpper(jsonName[:1]) + jsonName[1:] + "Entry"
		message.NestedType = append(message.NestedType, &descriptorpb.DescriptorProto{
			Name:    proto.String(entry),
			Field:   []*descriptorpb.FieldDescriptorProto{s.field("key", 1, key), s.field("value", 2, value)},
			Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
		})
		field.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		field.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
		field.TypeName = proto.String("." + s.file.GetPackage() + "." + owner + "." + entry)
	case label != "singular":
		return fmt.Errorf("label %s is not known", label)
	}
	message.Field = append(message.Field, field)
	return nil
}

func (s *schema) field(name string, number int32, kind string) *descriptorpb.FieldDescriptorProto {
	field := &descriptorpb.FieldDescriptorProto{
		Name:   proto.String(name),
		Number: proto.Int32(number),
		Label:  descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
	}
	if scalar, found := scalars[kind]; found {
		field.Type = scalar.Enum()
		return field
	}
	field.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	if s.enums[kind] {
		field.Type = descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum()
	}
	field.TypeName = proto.String("." + s.file.GetPackage() + "." + kind)
	return field
}

func oneofIndex(message *descriptorpb.DescriptorProto, name string) int32 {
	index := slices.IndexFunc(message.OneofDecl, func(known *descriptorpb.OneofDescriptorProto) bool {
		return known.GetName() == name
	})
	if index < 0 {
		index = len(message.OneofDecl)
		message.OneofDecl = append(message.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String(name)})
	}
	return int32(index)
}

// nameOptionals gives each optional field the oneof of its own that stands for its presence. These have to
// come after all the others.
func nameOptionals(message *descriptorpb.DescriptorProto) {
	for _, field := range message.Field {
		if field.GetProto3Optional() {
			field.OneofIndex = proto.Int32(oneofIndex(message, "_"+field.GetName()))
		}
	}
}
