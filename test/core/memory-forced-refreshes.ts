import type { ForcedRefreshes } from '../../core/ports.ts'

/** The right to force a refresh, in memory, and when it was given. */
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
