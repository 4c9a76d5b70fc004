import type { Catalogue } from '../ports.ts'
import { planIdKey } from './word-index.ts'

/**
 * Looks up the postings of plan ids together, so that many ids of a request read each part of the index only once.
 *
 * @param planIds ids as a request has them
 * @returns the catalogue, with these postings in place of reads of them
 */
export async function sharePostings(catalogue: Catalogue, planIds: readonly string[]): Promise<Catalogue> {
  const keys = [...new Set(planIds.map(planIdKey))]
  const byKey = Map.groupBy(await catalogue.findPostingsOf(keys), ({ key }) => key)
  const sharedKeys = new Set(keys)
  return {
    ...catalogue,
    // Plan ids are looked up by their whole key: other keys that begin with it do not matter.
    findPostings: async (start, filter = {}) => {
      if (!sharedKeys.has(start)) return catalogue.findPostings(start, filter)
      const { isKept = () => true, limit } = filter
      return (byKey.get(start) ?? []).filter(isKept).slice(0, limit)
    },
  }
}
