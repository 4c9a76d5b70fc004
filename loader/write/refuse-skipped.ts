import { LoadRefused } from '../../fetch/load-refused.ts'
import { type Findings, findingRules, type UnitTally } from '../decode/findings.ts'

/**
 * Refuses a file of which too much is skipped. Prices, items, provider groups and NPIs are compared separately, because
 * a file may lose almost all of one and little of the others.
 *
 * @param prices how many the file has, and how many of them have no rows; absent before its end
 * @param maxSkipped maximum share, from 0 to 1
 * @throws LoadRefused naming each share that is too large
 */
export function refuseSkipped(file: string, findings: Findings, maxSkipped: number, prices?: UnitTally): void {
  const { items, groups, npis } = findings.units
  const units = { ...(prices && { prices }), items, 'provider groups': groups, NPIs: npis }
  const tooMany = Object.entries(units).filter(([, { published, skipped }]) => skipped > maxSkipped * published)
  if (tooMany.length === 0) return
  const shares = tooMany.map(
    ([unit, { published, skipped }]) =>
      `${skipped} of ${published} ${unit} would be skipped (${((100 * skipped) / published).toFixed(1)} %)`,
  )
  const rules = findings.list().map(({ rule, count, examples }) => `${count} ${findingRules[rule]} (${examples[0]})`)
  const rest = prices === undefined ? ', whatever the rest of the file has' : ''
  throw new LoadRefused(file, `${shares.join(', ')}, more than --max-skipped allows${rest}: ${rules.join('; ')}`)
}

/** How many items are skipped before a file is judged by its beginning. */
const leastSkipped = 100_000

/** Bytes of JSON text that an item takes at least if it can be read, with the comma behind it. */
const leastItem = '{"billing_code_type":"","billing_code":"","negotiated_rates":[]},'.length

/**
 * Refuses a file before its end once so many items are skipped that nothing in the rest of it can make up for them.
 * Other units are judged at the end: provider groups may come from other files, of any size.
 */
export class SkippedWatch {
  readonly #file: string
  readonly #findings: Findings
  readonly #maxSkipped: number
  /** How many items are skipped when the file is judged next. */
  #next = leastSkipped

  /** @param maxSkipped maximum share, from 0 to 1 */
  constructor(file: string, findings: Findings, maxSkipped: number) {
    this.#file = file
    this.#findings = findings
    this.#maxSkipped = maxSkipped
  }

  /**
   * @param rest bytes of JSON text that may follow
   * @throws LoadRefused as `refuseSkipped`
   */
  look(rest: number): void {
    const { published, skipped } = this.#findings.units.items
    if (skipped < this.#next) return
    this.#next += leastSkipped
    if (skipped > this.#maxSkipped * (published + rest / leastItem))
      refuseSkipped(this.#file, this.#findings, this.#maxSkipped)
  }
}
