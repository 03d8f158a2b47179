// What kubelet makes of configuration files, one line of JSON for each, with kubelet's own loader, feature gates and
// validation, in the order in which kubelet uses them at its start.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	_ "k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/configfiles"
	"k8s.io/kubernetes/pkg/util/filesystem"
)

// Errors are empty where kubelet has none.
type verdict struct {
	// Of the strict reader. Kubelet logs it and reads again without what it does not know.
	Strict string `json:"strict"`
	// Of the reader whose result kubelet uses.
	Load string `json:"load"`
	// Of the feature gates, which kubelet sets before it validates.
	Gates string `json:"gates"`
	// Of the validation.
	Validation string `json:"validation"`
	// The configuration with its defaults, by its published names.
	Effective json.RawMessage `json:"effective,omitempty"`
}

func main() {
	_, codecs, err := scheme.NewSchemeAndCodecs(serializer.EnableStrict)
	check(err)
	answers := json.NewEncoder(os.Stdout)
	for _, path := range os.Args[1:] {
		check(answers.Encode(judge(path, codecs)))
	}
}

func judge(path string, codecs *serializer.CodecFactory) (answer verdict) {
	text, err := os.ReadFile(path)
	check(err)
	loader, err := configfiles.NewFsLoader(&filesystem.DefaultFs{}, path)
	check(err)
	settings, err := load(loader)
	if answer.Load = message(err); err != nil {
		return answer
	}
	_, _, err = codecs.UniversalDecoder().Decode(text, nil, nil)
	answer.Strict = message(err)
	gates := utilfeature.DefaultMutableFeatureGate.DeepCopy()
	answer.Gates = message(gates.SetFromMap(settings.FeatureGates))
	answer.Validation = message(validation.ValidateKubeletConfiguration(settings, gates))
	answer.Effective = published(settings, codecs)
	return answer
}

// Kubelet does not survive a feature gate that it does not know; here that is an error as any other.
func load(loader configfiles.Loader) (settings *config.KubeletConfiguration, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	return loader.Load(klog.NewContext(context.Background(), logr.Discard()))
}

func published(settings *config.KubeletConfiguration, codecs *serializer.CodecFactory) []byte {
	format, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	encoder := codecs.EncoderForVersion(format.Serializer, kubeletv1beta1.SchemeGroupVersion)
	text, err := runtime.Encode(encoder, settings)
	check(err)
	return text
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
