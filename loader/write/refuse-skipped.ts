import { FileFault } from '../../fetch/load-refused.ts'
import { type Findings, findingRules, type UnitTally } from '../decode/findings.ts'

/**
 * Refuses a file if too much of it is skipped. Prices, items, provider groups and NPIs are compared separately,
 * because a file may lose almost all of one and little of the others.
 *
 * @param prices number of prices of the file, and of prices without rows; absent before the end of the file
 * @param maxSkipped maximum share, from 0 to 1
 * @throws FileFault naming each share that is too large
 */
export function refuseSkipped(findings: Findings, maxSkipped: number, prices?: UnitTally): void {
  const { items, groups, npis } = findings.units
  const units = { ...(prices && { prices }), items, 'provider groups': groups, NPIs: npis }
  const tooMany = Object.entries(units).filter(([, { published, skipped }]) => skipped > maxSkipped * published)
  if (tooMany.length === 0) return
  const shares = tooMany.map(
    ([unit, { published, skipped }]) =>
      `${skipped} of ${published} ${unit} would be skipped (${((100 * skipped) / published).toFixed(1)} %)`,
  )
  const rules = findings.list().map(({ rule, count, examples }) => `${count} ${findingRules[rule]} (${examples[0]})`)
  const scope = prices === undefined ? ', whatever the rest of the file has' : ''
  throw new FileFault(`${shares.join(', ')}, more than --max-skipped allows${scope}: ${rules.join('; ')}`)
}

/** Skipped items after which a file is assessed by its beginning. */
const leastSkipped = 100_000

/** Minimum length of an item that can be read, with the comma behind it, in bytes of JSON text. */
const leastItem = '{"billing_code_type":"","billing_code":"","negotiated_rates":[]},'.length

/**
 * Refuses a file before its end once too many items are skipped for the rest of the file to make up for them.
 * Other units are counted at the end: provider groups may come from other files, of any size.
 */
export class SkippedWatch {
  readonly #findings: Findings
  readonly #maxSkipped: number
  /** Number of skipped items at which the file is assessed next. */
  #next = leastSkipped

  /** @param maxSkipped maximum share, from 0 to 1 */
  constructor(findings: Findings, maxSkipped: number) {
    this.#findings = findings
    this.#maxSkipped = maxSkipped
  }

  /**
   * @param remaining maximum length of the rest of the file, in bytes of JSON text
   * @throws FileFault as `refuseSkipped`
   */
  look(remaining: number): void {
    const { published, skipped } = this.#findings.units.items
    if (skipped < this.#next) return
    this.#next += leastSkipped
    if (skipped > this.#maxSkipped * (published + remaining / leastItem))
      refuseSkipped(this.#findings, this.#maxSkipped)
  }
}
