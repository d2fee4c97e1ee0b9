/* The rows of ops.def as data: for each operation, the forms that an instruction may have. */
#pragma once

#include "ptx.h"

typedef enum ptx_operand_role {
    PTX_ROLE_VALUE,  /* a scalar or a vector */
    PTX_ROLE_MEMORY, /* [address] */
    PTX_ROLE_LABEL,  /* a branch target */
    PTX_ROLE_LIST,   /* the name of a .branchtargets list */
    PTX_ROLE_CALL    /* the four operands of call */
} ptx_operand_role;

typedef enum ptx_wanted_type {
    PTX_WANT_NTH,  /* the type at position `nth` of the instruction's types */
    PTX_WANT_WIDE, /* the first type, of double width with .wide */
    PTX_WANT_TYPE, /* the type in the field `type` */
    PTX_WANT_ANY   /* any type */
} ptx_wanted_type;

typedef struct ptx_operand_form {
    ptx_operand_role role; /* what the operand is */
    ptx_wanted_type want;  /* which type it must have */
    uint8_t nth;           /* with PTX_WANT_NTH: position of the type */
    ptx_type type;         /* required type, with PTX_WANT_TYPE */
    bool pair;             /* the operand is a pair p|q */
    bool optional;         /* the operand may be omitted */
    bool result;           /* the operand is a result */
    ptx_mod result_with; /* the operand is written only with this modifier; PTX_MOD_COUNT: always */
    bool updated;        /* a result that is also read */
    bool minus;          /* a minus sign is allowed */
    bool when;      /* the operand is required in the cases that when_mods and when_types give */
    bool elsewhere; /* the operand is also allowed in all other cases */
    uint64_t when_mods[4]; /* modifiers, one of which requires the operand */
    uint64_t when_types;   /* first types that require the operand */
    uint64_t when_second;  /* second types that, with when_types, require the operand; 0: any */
} ptx_operand_form;

#define PTX_MAX_ALTERNATIVES 40 /* most combinations of types in one row of ops.def */

/* One combination of types that an instruction may have: for each position a set of ptx_type. */
typedef struct ptx_alternative {
    uint8_t count;               /* number of types that the instruction has */
    uint64_t set[PTX_MAX_TYPES]; /* [position] allowed types: a bit for each ptx_type */
} ptx_alternative;

#define PTX_MAX_MODIFIER_RULES 32 /* most rules about modifiers in one row of ops.def */

/* A rule about several modifiers, for first types `types` and second types `second` (0: any). */
typedef struct ptx_modifier_rule {
    /* how many of the modifiers an instruction has: exactly one; at most one; all or none */
    enum { PTX_GROUP_ONE, PTX_GROUP_AT_MOST_ONE, PTX_GROUP_ALL_OR_NONE } kind;
    uint64_t mods[4];       /* a bit for each ptx_mod of the rule */
    uint64_t types, second; /* sets of first and second types; a bit for each ptx_type */
} ptx_modifier_rule;

/* A modifier that is allowed with first types in `types` and second types in `second` (0: any). A
 * modifier may have several permits. */
typedef struct ptx_modifier_permit {
    ptx_mod mod;            /* the modifier */
    uint64_t types, second; /* sets of first and second types; a bit for each ptx_type */
} ptx_modifier_permit;

#define PTX_MAX_MODIFIER_PERMITS 160 /* most allowed modifiers in one row of ops.def */

typedef struct ptx_row {
    uint8_t shape_count, required; /* maximum number of operands; number of mandatory operands */
    ptx_operand_form shape[PTX_MAX_OPERANDS];          /* operands */
    uint8_t alternative_count;                         /* entries used in `alternative` */
    ptx_alternative alternative[PTX_MAX_ALTERNATIVES]; /* allowed types */
    uint32_t vecs;        /* allowed vector widths: bit 2 for .v2, bit 4 for .v4, bit 8 for .v8 */
    uint32_t spaces;      /* allowed state spaces: bit set over ptx_space */
    uint8_t permit_count; /* entries used in `permit` */
    const ptx_modifier_permit *permit;               /* [permit_count]: allowed modifiers */
    uint8_t group_count;                             /* number of rules in `group` */
    ptx_modifier_rule group[PTX_MAX_MODIFIER_RULES]; /* rules about several modifiers */
    bool implemented;                                /* the operation has a handler */
    const char *isa;                                 /* section of the PTX ISA */
} ptx_row;

/* The row of operation OP; never NULL. Thread-safe. */
const ptx_row *ptx_row_of_op(ptx_op op);

/* The type that operand I of IN must have according to its row; PTX_NOTYPE: not specified. */
ptx_type ptx_operand_type(const ptx_insn *in, unsigned i);
