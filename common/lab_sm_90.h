/* For labs with clusters or bulk copies: a build for an older GPU stops with one sentence. */
#ifndef WARPBOOK_LAB_SM_90_H
#define WARPBOOK_LAB_SM_90_H
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#error This lab needs a GPU of sm_90 (Hopper) or newer. Without one: --device emulator, or nvcc -arch=sm_90 and ./warpbook exec.
#endif
#endif
