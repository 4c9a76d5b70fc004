import { useEffect, useRef } from 'preact/hooks'
import { showValue } from '../../client/results/csv.ts'
import { describePlace } from '../../client/results/places-of-service.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import { countOf, nameSome } from '../../schema/phrases.ts'
import { wholeTin } from '../../schema/summary/definition.ts'
import { formatMonth, formatRate } from '../display/formats.ts'
import { formatTin, nameParty } from '../highlights/highlight.ts'
import { describePosition, locateAmount } from '../highlights/position.ts'
import { describeFlags } from '../highlights/price-shapes.ts'
import { monthOf } from '../statistics/rate-groups.ts'
import type { ChosenPrice } from './chosen-row.ts'

interface Props {
  readonly chosen: ChosenPrice
  readonly unit: string
  /** True if it was chosen by keyboard, and shall have the focus. */
  readonly takesFocus: boolean
  readonly onClose: () => void
}

/** Maximum number of values of a fact that are written out. */
const maxNamed = 3

/** Says where the number of a price comes from. */
export function PriceOrigin({ chosen: { group, price }, unit, takesFocus, onClose }: Props) {
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    if (takesFocus) panel.current?.focus()
  }, [price, takesFocus])
  const { amount, rows } = price
  return (
    <section
      ref={panel}
      class="origin"
      aria-label="The chosen price"
      tabIndex={-1}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <p>
        <span class="amount">{formatRate(amount, unit)}</span> {describePosition(locateAmount(group, amount), unit)}
      </p>
      <dl>
        {describeOrigin(rows, describeFlags(price), group.terms).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{text}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <button type="button" class="quiet close" onClick={onClose}>
        Close
      </button>
    </section>
  )
}

/** Returns the facts of a price's rows that are known, each with its name. */
function describeOrigin(rows: readonly ResultRow[], flags: string, terms: readonly string[]) {
  const valuesOf = (show: (row: ResultRow) => string) => [...new Set(rows.map(show))].filter((value) => value !== '')
  const nameValues = (show: (row: ResultRow) => string) => nameSome(valuesOf(show), maxNamed, '; ')
  const sizes = valuesOf((row) => showValue(row['provider_group_npi_count'])).map(Number)
  const facts: readonly (readonly [name: string, text: string])[] = [
    ['Paid to', nameValues(writeParty)],
    ['Providers', nameValues(writeProvider)],
    ['Provider group', sizes.length === 0 ? '' : countOf(Math.max(...sizes), 'NPI')],
    ['Terms', terms.join(' · ')],
    ['Place of service', nameSome(listPlaceNames(rows), maxNamed, '; ')],
    ['Published', nameValues(writeMonth)],
    ['File', nameValues((row) => showValue(row['source_file']))],
    ['Flags', flags],
    ['Rows', countOf(rows.length, 'row')],
  ]
  return facts.filter(([, text]) => text !== '')
}

function listPlaceNames(rows: readonly ResultRow[]): readonly string[] {
  const places = rows.flatMap(({ service_code: codes }) => (Array.isArray(codes) ? codes.map(String) : []))
  return [...new Set(places)].sort().map(describePlace)
}

function writeParty(row: ResultRow): string {
  const name = nameParty(row)
  const tin = `TIN ${formatTin(row)}`
  return name === tin ? tin : `${name}, ${tin}`
}

function writeProvider(row: ResultRow): string {
  if (Number(row['npi']) === wholeTin) return 'the whole TIN'
  return [showValue(row['provider_name']), `NPI ${showValue(row['npi'])}`].filter(Boolean).join(', ')
}

function writeMonth(row: ResultRow): string {
  const month = monthOf(row)
  return month === '' ? '' : formatMonth(month)
}
