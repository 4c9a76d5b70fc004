/** A payer and one of its plans, in the form that searches, loader and catalogue compare (see `normaliseName`). */
export interface FeeSchedule {
  readonly payer: string
  readonly plan: string
}

/** A map key for a fee schedule. JSON, because a name can contain any separator. */
export function feeScheduleKey({ payer, plan }: FeeSchedule): string {
  return JSON.stringify([payer, plan])
}

/** Returns a lookup from `feeScheduleKey` to the members of a list, such as fee schedules or their entries. */
export const byKey = <Member extends FeeSchedule>(all: readonly Member[]): ReadonlyMap<string, Member> =>
  new Map(all.map((each) => [feeScheduleKey(each), each]))

export const quote = (name: string) => `"${name}"`

/** Formats a fee schedule for a message. */
export const nameOf = ({ payer, plan }: FeeSchedule): string => `"${plan}" of "${payer}"`
