import type { ForcedRefreshes, RefreshUse } from '../../core/own-relation/ports.ts'

/** Forced refreshes in memory, with the times at which they were granted. */
export function createMemoryForcedRefreshes(): ForcedRefreshes & { readonly forced: readonly Date[] } {
  const forced: Date[] = []
  let stored: RefreshUse | undefined
  return {
    forced,
    read: async () => stored,
    write: async (use, previous) => {
      if (stored?.forcedAt.getTime() !== previous?.forcedAt.getTime()) return 'superseded'
      stored = use
      forced.push(use.forcedAt)
      return 'written'
    },
  }
}
