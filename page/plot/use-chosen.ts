import { useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { at } from '../../schema/at.ts'
import { everywhere } from '../../schema/summary/definition.ts'
import { changeLinked, useLinked } from '../address/view-link.ts'
import { isDoubtfulRow } from '../statistics/comparable-prices.ts'
import {
  listClasses,
  listCodes,
  listModifiers,
  listPlaces,
  listUnits,
  type Price,
  type RateGroup,
} from '../statistics/rate-groups.ts'
import { findChosen, keyOfRow, type RowLink, testRows } from './chosen-row.ts'

/**
 * Returns the price that is chosen in the plot or in the table, and changes it: a dot narrows the table to its rows,
 * and a row moves the plot to where its dot is. The address remembers both.
 */
export function useChosen(groups: readonly RateGroup[], place: string, weight: SummaryWeight) {
  const [key] = useLinked('chosen')
  const chosen = useMemo(() => findChosen(groups, key), [groups, key])
  const link: RowLink = useMemo(
    () => ({ key, isChosen: testRows(chosen), choose: (row) => changeLinked(findDot(row, place, weight)) }),
    [chosen, key, place, weight],
  )
  return {
    chosen,
    link,
    choose: ({ rows }: Price) => changeLinked({ chosen: keyOfRow(at(rows, 0)), only: 'chosen' }),
    close: () => changeLinked({ chosen: undefined, only: undefined }),
  }
}

/** Returns the choices under which the plot has the dot of a row. */
function findDot(row: ResultRow, place: string, weight: SummaryWeight): Readonly<Record<string, string | undefined>> {
  const [code, billingClass, unit, modifiers] = [listCodes, listClasses, listUnits, listModifiers].map(
    (list) => list([row], weight)[0]?.value,
  )
  const places = listPlaces([row], weight).map(({ value }) => value)
  return {
    chosen: keyOfRow(row),
    'billing code': code,
    'billed by': billingClass,
    unit,
    modifiers,
    // A price for all places is at the place that is shown, too.
    'place of service': places.includes(place) || places.includes(everywhere) ? place : places[0],
    ...(isDoubtfulRow(row) && { doubtful: 'counted' }),
  }
}
