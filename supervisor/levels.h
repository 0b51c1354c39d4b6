/*
 * The levels of confinement; sup_level_of derives one from the grades.
 */
#ifndef SUP_LEVELS_H
#define SUP_LEVELS_H

/* Ordered: a higher one is worth more. */
enum sup_level { SUP_LEVEL_NONE, SUP_LEVEL_PROCESS, SUP_LEVEL_ISOLATED };

#endif
