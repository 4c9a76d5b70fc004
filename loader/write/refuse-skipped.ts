import { LoadRefused } from '../../fetch/load-refused.ts'
import { type Findings, findingRules, type UnitTally } from '../decode/findings.ts'

/**
 * Refuses a file of which too much is skipped. Prices, items, provider groups and NPIs are compared separately, because
 * a file may lose almost all of one and little of the others.
 *
 * @param prices how many the file has, and how many of them have no rows
 * @param maxSkipped maximum share, from 0 to 1
 * @throws LoadRefused naming each share that is too large
 */
export function refuseSkipped(file: string, prices: UnitTally, findings: Findings, maxSkipped: number): void {
  const { items, groups, npis } = findings.units
  const units = { prices, items, 'provider groups': groups, NPIs: npis }
  const tooMany = Object.entries(units).filter(([, { published, skipped }]) => skipped > maxSkipped * published)
  if (tooMany.length === 0) return
  const shares = tooMany.map(
    ([unit, { published, skipped }]) =>
      `${skipped} of ${published} ${unit} would be skipped (${((100 * skipped) / published).toFixed(1)} %)`,
  )
  const rules = findings.list().map(({ rule, count, examples }) => `${count} ${findingRules[rule]} (${examples[0]})`)
  throw new LoadRefused(file, `${shares.join(', ')}, more than --max-skipped allows: ${rules.join('; ')}`)
}
