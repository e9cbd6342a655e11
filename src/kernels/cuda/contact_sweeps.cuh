/* Sweeps of Gauss-Seidel over contacts and given constraints (kernels/stages/contact/contact_sweep.h) on the device. */
#ifndef TAUT_CUDA_CONTACT_SWEEPS_CUH
#define TAUT_CUDA_CONTACT_SWEEPS_CUH

#include "kernels/cuda/device.cuh"

/* Colours of the contacts of this substep, and blocks for the assembled system. */
void cuda_contact_sweeps_prepare(const taut_view& view, taut_launch* launch);
/* An outer iteration begins, with g_f64 that of gam; uses `wide`. */
void cuda_contact_sweeps_open(const taut_view& view, taut_launch* launch);
/* TAUT_SWEEPS sweeps over gam and g_f64 but for those beyond the limit of iterations: given constraints, then contacts.
 */
void cuda_contact_sweeps(const taut_view& view, taut_launch* launch);

#endif
