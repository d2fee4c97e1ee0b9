# Stand-ins for NVIDIA's libraries: their calls by kernels of our own, over libcuda.so.1 like any program. nvcc compiles
# the kernels; without one there is no such library. What toolkits 12 and 13 have of one differs in names and version.
LIBRARIES     := emulator/libraries
LIBRARIES_GEN := $(B)/gen/libraries
LIBRARIES_SO  :=
LIBRARY_C      = $(wildcard $(LIBRARIES)/$(1)/*.c) $(LIBRARIES)/common/library.c

# $(call LIBRARY,NAME,NUMBERS): libNAME.so.NUMBER of each, from the folder NAME. VERSION_NAME.NUMBER holds its version and
# that of the runtime beside it. names.txt has what it exports, without NAME.
define LIBRARY
NAMES_$(1) = awk '!/^\#/ { for (k = 1; k <= NF; k++) printf "$$(1)", $$$$k }' $(LIBRARIES)/$(1)/names.txt
$(LIBRARIES_GEN)/$(1)-names.def: $(LIBRARIES)/$(1)/names.txt
	@mkdir -p $$(@D)
	$$(Q)$$(call NAMES_$(1),NAME($(1)%s)\n) > $$@
$(B)/obj/$(LIBRARIES)/common/stubs.$(1).o: CFLAGS_ALL += -DLIBRARY_NAMES='"$(LIBRARIES_GEN)/$(1)-names.def"' -I.
$(B)/obj/$(LIBRARIES)/common/stubs.$(1).o: $(LIBRARIES)/common/stubs.c $(LIBRARIES_GEN)/$(1)-names.def $(FLAGS)
	@mkdir -p $$(@D)
	$$(call say,CC   ,$$< $(1))
	$$(Q)$$(CC) $$(CFLAGS_ALL) -fPIC -fvisibility=hidden -c $$< -o $$@
LIBRARIES_DEF += $(LIBRARIES_GEN)/$(1)-names.def
ifneq ($(NVCC_SAYS),)
$(LIBRARIES_GEN)/$(1).ptx: $(wildcard $(LIBRARIES)/$(1)/*.cu $(LIBRARIES)/$(1)/*.cuh $(LIBRARIES)/$(1)/*.h) $(FLAGS)
	@mkdir -p $$(@D)
	$$(call say,NVCC ,$$<)
	$$(Q)$(NVCC) -std=c++17 -O3 -arch=compute_75 -ptx -o $$@ $(LIBRARIES)/$(1)/kernels.cu
$(foreach n,$(2),$(call LIBRARY_FILE,$(1),$(n),$(B)/emulator/lib$(1).so.$(n),$(LIBRARIES_GEN)/$(1)-$(n),$(lastword $(2))))
endif
endef

# $(call LIBRARY_FILE,NAME,NUMBER,FILE,what its parts are called,the number that has the plain name)
define LIBRARY_FILE

LIBRARIES_SO += $(3)
$(4).o: $(LIBRARIES)/common/embedded.S $(LIBRARIES_GEN)/$(1).ptx make/libraries.mk
	$$(call say,AS   ,$$< $(1).$(2))
	$$(Q)$$(CC) -DNAME='"$(1)"' -DMISSING=$(firstword $(MISSING_$(1))) \
	  -DMISSING_NAME='"$(lastword $(MISSING_$(1)))"' $(VERSION_$(1).$(2)) -DPTX='"$(LIBRARIES_GEN)/$(1).ptx"' -c $$< -o $$@
$(4).map: $(LIBRARIES)/$(1)/names.txt
	@mkdir -p $$(@D)
	$$(Q)(echo 'lib$(1).so.$(2) {' && echo '    global:' && $$(call NAMES_$(1),        $(1)%s;\n) && \
	  printf '    local:\n        *;\n};\n') > $$@
$(3): $(patsubst %.c,$(B)/obj/%.o,$(call LIBRARY_C,$(1))) $(B)/obj/$(LIBRARIES)/common/stubs.$(1).o $(4).o $(4).map $(B)/emulator/libcuda.so.1 $(SOURCES)
	@mkdir -p $$(@D)
	$$(call say,LINK ,$$@)
	$$(Q)$$(CC) $$(LDFLAGS) $$(SAN) -shared $(if $(SAN),,-Wl,-z,defs) -Wl,-soname,$(notdir $(3)) \
	  -Wl,--version-script=$(4).map -Wl,-rpath,'$$$$ORIGIN' -Wl,--disable-new-dtags -o $$@ $$(filter %.o %.so.1,$$^) -Wl,--as-needed -lm
	$(if $(filter $(5),$(2)),@ln -sf $(notdir $(3)) $(basename $(3)))
endef

# What a call answers that is missing.
MISSING_cublas := 15 CUBLAS_STATUS_NOT_SUPPORTED
MISSING_curand := 103 CURAND_STATUS_TYPE_ERROR
MISSING_cufft := 16 CUFFT_NOT_SUPPORTED

VERSION_cublas.12 := -DVERSION=120405 -DCUDART_VERSION=12040
VERSION_cublas.13 := -DVERSION=130100 -DCUDART_VERSION=13000
$(eval $(call LIBRARY,cublas,12 13))
# Toolkits 12 and 13 have one number; the version is 13.0's.
VERSION_curand.10 := -DVERSION=10400 -DCUDART_VERSION=13000
$(eval $(call LIBRARY,curand,10))

VERSION_cufft.11 := -DVERSION=11201 -DCUDART_VERSION=12040
VERSION_cufft.12 := -DVERSION=12000 -DCUDART_VERSION=13000
$(eval $(call LIBRARY,cufft,11 12))

all: $(LIBRARIES_SO)
