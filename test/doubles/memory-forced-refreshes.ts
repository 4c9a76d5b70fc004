import type { ForcedRefreshes } from '../../core/own-relation/ports.ts'

/** Forced refreshes in memory, with the times at which they were granted. */
export function createMemoryForcedRefreshes(): ForcedRefreshes & { readonly forced: readonly Date[] } {
  const forced: Date[] = []
  return {
    forced,
    claim: async (at, lastBy) => {
      const last = forced.at(-1)
      if (last !== undefined && last > lastBy) return 'superseded'
      forced.push(at)
      return 'written'
    },
  }
}
