import { isSilent, type LoadRecord } from '../../core/loads/load-record.ts'
import { formatTimestamp } from '../../core/time.ts'

/** The state of a load for lists, with how many plans it left out. */
export function describeOutcome(load: Pick<LoadRecord, 'state' | 'touchedAt' | 'counts' | 'undoneAt'>): string {
  const { leftOut = 0, switched = 0, unchanged = 0 } = load.counts ?? {}
  const undone = load.undoneAt === undefined ? '' : `, undone ${formatTimestamp(load.undoneAt)}`
  const state = `${describeState(load)}${undone}`
  return leftOut === 0 ? state : `${state}, ${leftOut} of ${switched + unchanged + leftOut} plans left out`
}

/** The state of a load; `killed` if it runs, but gives no sign of life. */
export function describeState({ state, touchedAt }: Pick<LoadRecord, 'state' | 'touchedAt'>): string {
  const isEnded = state !== 'running' && state !== 'cancelling'
  return isEnded || !isSilent({ touchedAt }, new Date()) ? state : 'killed'
}

/** A load in lines, without a trailing line break. */
export function describeLoad(load: LoadRecord): string {
  const { loadId, from, startedAt, touchedAt, endedAt, reason, counts } = load
  const { changed = [], leftOut = [], refused = [] } = load
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['load', loadId],
    ['from', from],
    ['state', describeOutcome(load)],
    ['started', formatTimestamp(startedAt)],
    ['last sign of life', endedAt === undefined ? formatTimestamp(touchedAt) : undefined],
    ['ended', endedAt && formatTimestamp(endedAt)],
    ['reason', reason],
    ['files', counts && `${counts.files} read, ${counts.takenOver} unchanged since an earlier load`],
    [
      'fee schedules',
      counts &&
        `${counts.switched} switched, ${counts.unchanged} unchanged, ${counts.removed} removed, ${counts.leftOut} left out`,
    ],
  ]
  const facts = lines.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`))
  const lost = [...refused.map((line) => `refused: ${line}`), ...leftOut.map((line) => `left out: ${line}`)]
  return [...facts, ...changed, ...lost].join('\n')
}
