# libcublas.so.12 and .13: cuBLAS's calls by kernels of our own, over libcuda.so.1 like any program. nvcc compiles the
# kernels; without one there is no such library. The two differ in names and version.
CUBLAS     := emulator/libraries/cublas
CUBLAS_SRC := $(wildcard $(CUBLAS)/*.c)
CUBLAS_OBJ := $(CUBLAS_SRC:%.c=$(B)/obj/%.o)
CUBLAS_GEN := $(B)/gen/cublas
CUBLAS_VERSION_12 := -DVERSION=120405 -DCUDART_VERSION=12040
CUBLAS_VERSION_13 := -DVERSION=130100 -DCUDART_VERSION=13000
CUBLAS_NAMES = awk '!/^\#/ { for (k = 1; k <= NF; k++) printf "$(1)", $$k }' $(CUBLAS)/names.txt

$(CUBLAS_GEN)/cublas-names.def: $(CUBLAS)/names.txt
	@mkdir -p $(@D)
	$(Q)$(call CUBLAS_NAMES,NAME(cublas%s)\n) > $@
ifneq ($(NVCC_SAYS),)
CUBLAS_SO  := $(B)/emulator/libcublas.so.12 $(B)/emulator/libcublas.so.13
all: $(CUBLAS_SO)

$(CUBLAS_GEN)/kernels.ptx: $(CUBLAS)/kernels.cu $(CUBLAS)/kernel_args.h $(FLAGS)
	@mkdir -p $(@D)
	$(call say,NVCC ,$<)
	$(Q)$(NVCC) -std=c++17 -O3 -arch=compute_75 -ptx -o $@ $<

$(B)/obj/$(CUBLAS)/stubs.o: $(CUBLAS_GEN)/cublas-names.def
$(B)/obj/$(CUBLAS)/%.o: CFLAGS_ALL += -I$(CUBLAS_GEN)

$(CUBLAS_GEN)/embedded-12.o $(CUBLAS_GEN)/embedded-13.o: $(CUBLAS_GEN)/embedded-%.o: $(CUBLAS)/embedded.S $(CUBLAS_GEN)/kernels.ptx
	$(call say,AS   ,$<)
	$(Q)$(CC) $(CUBLAS_VERSION_$*) -DPTX='"$(CUBLAS_GEN)/kernels.ptx"' -c $< -o $@
$(CUBLAS_GEN)/12.map $(CUBLAS_GEN)/13.map: $(CUBLAS_GEN)/%.map: $(CUBLAS)/names.txt
	@mkdir -p $(@D)
	$(Q)(echo 'libcublas.so.$* {' && echo '    global:' && $(call CUBLAS_NAMES,        cublas%s;\n) && \
	  printf '    local:\n        *;\n};\n') > $@

$(CUBLAS_SO): $(B)/emulator/libcublas.so.%: $(CUBLAS_OBJ) $(CUBLAS_GEN)/embedded-%.o $(CUBLAS_GEN)/%.map $(B)/emulator/libcuda.so.1 $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -shared $(if $(SAN),,-Wl,-z,defs) -Wl,-soname,$(@F) \
	  -Wl,--version-script=$(CUBLAS_GEN)/$*.map -Wl,-rpath,'$$ORIGIN' -Wl,--disable-new-dtags -o $@ \
	  $(CUBLAS_OBJ) $(CUBLAS_GEN)/embedded-$*.o $(B)/emulator/libcuda.so.1
	@ln -sf libcublas.so.13 $(@D)/libcublas.so
endif
