/**
 * Days for which a request is kept, counted from its creation: it must outlive the run of its job. A stage whose jobs may
 * wait and run for longer is refused when its stack is synthesised.
 */
export function requestDays(retentionDays: number): number {
  return retentionDays + 2
}
