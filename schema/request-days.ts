/**
 * Days for which a request is kept after its creation. It must outlive its job, so synthesis refuses a stage whose jobs
 * may wait and run for longer.
 */
export function requestDays(retentionDays: number): number {
  return retentionDays + 2
}
