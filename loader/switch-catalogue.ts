import type { CatalogueEntry } from '../core/catalogue-entry.ts'
import type { FeeSchedule } from '../core/fee-schedule.ts'
import type { CatalogueAdmin } from '../core/ports.ts'

/** What shall count for a fee schedule from now on. */
export type FeeScheduleContent = Omit<CatalogueEntry, 'version'>

/** How often a switch is tried when other loads of the same fee schedule come between. */
const mostTries = 5

/**
 * Puts a fee schedule's content in place of whatever counted before, in one conditional write: a search reads all of
 * one load or all of the next. The last load wins; one that comes between is read again, so that its entry is replaced
 * knowingly.
 *
 * @returns the new entry, or undefined where other loads came between each time
 */
export async function switchFeeSchedule(
  content: FeeScheduleContent,
  catalogue: CatalogueAdmin,
  newVersion: () => string,
): Promise<CatalogueEntry | undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    const [current] = await catalogue.find([{ payer: content.payer, plan: content.plan }])
    const entry = { ...content, version: newVersion() }
    if ((await catalogue.replace(entry, current?.version)) === 'written') return entry
  }
  return undefined
}

/** Other loads of a fee schedule kept replacing its entry. */
export class SwitchContended extends Error {
  override readonly name = 'SwitchContended'

  constructor({ payer, plan }: FeeSchedule) {
    super(`${payer} / ${plan}: other loads switched this fee schedule ${mostTries} times meanwhile; load it again`)
  }
}
