import type { Log } from '../../core/log.ts'
import { type RefreshFeeSchedules, refreshFeeSchedules } from '../../core/own-relation/refresh-fee-schedules.ts'

/** On a timer: syncs the catalogue with the operator's relation, and logs the changes. */
export function refreshFeeSchedulesHandler(deps: RefreshFeeSchedules & { readonly log: Log }) {
  return async (): Promise<void> => {
    const report = await refreshFeeSchedules(deps)
    deps.log('fee schedules refreshed', { ...report })
  }
}
