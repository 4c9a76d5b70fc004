import { type AnnounceLoads, announceLoads } from '../../core/events/announce-loads.ts'
import type { Log } from '../../core/log.ts'

/** Once a minute: announces what loads changed. */
export function announceLoadsHandler(deps: AnnounceLoads & { readonly log: Log }) {
  return async (): Promise<void> => {
    const events = await announceLoads(deps)
    if (events > 0) deps.log('loads announced', { events })
  }
}
