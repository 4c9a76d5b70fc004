/** Prefix of all results in their bucket; the signing role may read only here. */
export const resultsPrefix = 'results/'
