/* The debugger's answers to questions about registers, memory and the code. */
#pragma once

#include "../../sm/array_name.h"
#include "lane_groups.h"

#include <stdio.h>

/* answers.c: helpers of all answers */
char *step_source_line(const char *path,
                       uint32_t line); /* malloc'ed; NULL: the line cannot be read */
/* Write ,"path":...,"line":... if they are known, else ,"ptx_line":...; if SOURCE, all of these and
 * the text of the line, as far as they are known. */
void step_write_position(FILE *to, const step_block_slot *slot, uint32_t site, bool source);
char *step_ptx_text(const step_block_slot *slot, uint32_t site); /* malloc'ed */

/* memory.c: store in A the array that all lanes of MASK access at ADDRESS in SPACE; a parameter is
 * called as in the source, if the file is there. False: there is none. */
bool step_array_of_lanes(ptx_space space, uint32_t mask, const uint64_t address[SM_LANES],
                         sm_array *a);
/* Answer the controller's question which byte of an array "shared OFFSET" or "global ADDRESS" is:
 * "out + 12"; nothing: in none, or in one without a name. */
void step_answer_array_name(const char *text, FILE *to);
/* Replace the name that nvcc has given a parameter of the kernel in TEXT by the source's, if it is
 * known; returns TEXT. */
char *step_with_parameter_name(char *text);
/* Read a place in an array, "out" or "out + 12": *SPACE and *AT become its memory and its address
 * there; PTX_SPACE_NONE: the kernel has no such array. Returns the rest of TEXT. */
const char *step_array_place(const char *text, ptx_space *space, uint64_t *at);
/* Answer where such a place is: "shared OFFSET" or "global ADDRESS"; or nothing. */
void step_answer_array_place(const char *text, FILE *to);

/* The functions answer one command each; TEXT is the rest of the command line. */
void step_answer_registers(const sm_warp *w, const char *text, FILE *to);
void step_answer_variables(const sm_warp *w, FILE *to);
void step_answer_source(const char *text, FILE *to);
void step_answer_ptx(const char *text, FILE *to);
void step_answer_shared_memory(const char *text, FILE *to);
void step_answer_device_memory(const char *text, FILE *to);
void step_answer_last_memory_request(FILE *to);
