/**
 * Upper bounds of an organization's limits. Its slots are one item, which every new search reads and writes: 1,000
 * slots are 50 KB.
 */
export const maxLimits = { searches: 1000, perMinute: 60_000 } as const

/** Longest time for which replaced rates can be kept, in months. */
export const maxKeepMonths = 240
