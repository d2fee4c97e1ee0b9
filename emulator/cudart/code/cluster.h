/* Thread block clusters of a launch. */
#pragma once

#include "kernel.h"

/* Store in *SHAPE the cluster shape of a launch of K: REQUESTED, or if REQUESTED is all 0 the shape
 * that K requires, or else 1. cudaErrorInvalidClusterSize: it is impossible. */
cudaError_t rt_cluster_shape(const rt_kernel *k, dim3 grid, dim3 requested, dim3 *shape);
/* Does the launch or K specify clusters? */
bool rt_is_clustered(const rt_kernel *k, dim3 requested);
/* The parts of cudaFuncGetAttributes and cudaFuncSetAttribute that concern clusters. */
void rt_fill_cluster_attributes(const rt_kernel *k, struct cudaFuncAttributes *a);
cudaError_t rt_cluster_set_attribute(rt_kernel *k, enum cudaFuncAttribute attr, int value);
