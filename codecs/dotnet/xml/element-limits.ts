/** Elements may nest this much deeper than values do, and be this much more: a list or an entry takes up to three elements. */
export const elementsPerLevel = 4;
