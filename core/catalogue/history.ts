import { isoDay, subtractMonths } from '../time.ts'
import type { CatalogueEntry, EntryState } from './catalogue-entry.ts'
import type { KeptDays } from './ports.ts'

/**
 * The history of a fee schedule's entry, as a text that is part of the entry, so that no change is lost. It holds the
 * day (UTC) of each change, and the state of the entry before that day. `2026-10-02-;2026-11-03c1`: nothing before 2
 * October, then the content `c1` until it was replaced on 3 November.
 */

/** Symbols in place of a content id. `unknown`: a version that kept no history wrote the entry. */
const symbols = { removed: '-', ambiguous: '+', unknown: '?' } as const

/** State of an entry at the end of a day. */
export type PastState =
  | { readonly status: 'active'; readonly contentId: string }
  | { readonly status: 'ambiguous' }
  | { readonly status: 'removed' }
  /** `since`: the first day with a known state. */
  | { readonly status: 'unknown'; readonly since: string }

interface Change {
  readonly day: string
  readonly before: string
}

/**
 * Returns the history of an entry that replaces another one, or none. Only the first change of a day is recorded.
 *
 *
 * @param firstDay the first day that searches can name @default - all
 */
export function extendHistory(current: CatalogueEntry | undefined, next: EntryState, at: Date, firstDay = ''): string {
  const day = isoDay(at)
  const changes = current?.history === undefined ? [] : readChanges(current.history)
  const before = markBefore(current)
  const isLater = (changes.at(-1)?.day ?? '') < day
  if (isLater && before !== symbolOf(next)) changes.push({ day, before })
  return changes
    .filter((change) => change.day > firstDay)
    .map((change) => change.day + change.before)
    .join(';')
}

/** Returns the state of an entry, or of none, at the end of a day before `now`. */
export function stateOn(entry: CatalogueEntry | undefined, day: string, now: Date): PastState {
  if (entry === undefined) return { status: 'removed' }
  if (entry.history === undefined) return { status: 'unknown', since: isoDay(now) }
  const change = readChanges(entry.history).find((each) => each.day > day)
  const state = change?.before ?? symbolOf(entry.state)
  if (state === symbols.unknown) return { status: 'unknown', since: change?.day ?? isoDay(now) }
  if (state === symbols.removed) return { status: 'removed' }
  return state === symbols.ambiguous ? { status: 'ambiguous' } : { status: 'active', contentId: state }
}

/** Returns the days, after `from`, on which searches of an entry began to read something else. */
export const listChangeDays = ({ history = '' }: CatalogueEntry, from = ''): readonly string[] =>
  readChanges(history).flatMap(({ day }) => (day > from ? day : []))

/** Returns the contents that were active at the end of a day from `from` on, and are no longer. */
export const listPastContents = ({ history = '' }: CatalogueEntry, from: string): readonly string[] =>
  readChanges(history).flatMap(({ day, before }) => (day > from && before.length > 1 ? before : []))

/** True if an entry was, or may have been, anything but removed at the end of a day from `from` on. */
export const hasPast = ({ history = '' }: CatalogueEntry, from: string): boolean =>
  readChanges(history).some(({ day, before }) => day > from && before !== symbols.removed)

/** Returns the first day that searches can name at a time; empty if they can name all. */
export function firstKeptDay(retention: KeptDays | undefined, at: Date): string {
  if (retention === undefined) return ''
  const first = isoDay(subtractMonths(at, retention.months))
  return first > retention.formerFirst ? first : retention.formerFirst
}

function readChanges(history: string): Change[] {
  return history === '' ? [] : history.split(';').map((text) => ({ day: text.slice(0, 10), before: text.slice(10) }))
}

function markBefore(entry: CatalogueEntry | undefined): string {
  if (entry === undefined) return symbols.removed
  return entry.history === undefined ? symbols.unknown : symbolOf(entry.state)
}

function symbolOf(state: EntryState): string {
  if (state.status === 'active') return state.contentId
  return state.status === 'ambiguous' ? symbols.ambiguous : symbols.removed
}
