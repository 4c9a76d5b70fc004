import { isoDay, subtractMonths } from '../time.ts'
import type { CatalogueEntry, EntryState } from './catalogue-entry.ts'
import type { KeptDays } from './ports.ts'

/**
 * What a fee schedule's entry was at the end of each earlier day (UTC), in a text that is part of the entry, so that no
 * change is lost: for each change the day, and what the entry was before. `2026-10-02-;2026-11-03c1`: nothing before
 * 2 October, then the content `c1` until it was replaced on 3 November.
 */

/** What the text has in place of a content id. `unknown`: a version without a history wrote the entry. */
const marks = { removed: '-', ambiguous: '+', unknown: '?' } as const

/** What an entry was at the end of a day. */
export type PastState =
  | { readonly status: 'active'; readonly contentId: string }
  | { readonly status: 'ambiguous' }
  | { readonly status: 'removed' }
  /** `since`: the first day of which it is known. */
  | { readonly status: 'unknown'; readonly since: string }

interface Change {
  readonly day: string
  readonly before: string
}

/**
 * The history of the entry that replaces another one, or none. Of several changes in a day only the first counts.
 *
 * @param keptFrom the first day that searches can name @default - all
 */
export function extendHistory(current: CatalogueEntry | undefined, next: EntryState, at: Date, keptFrom = ''): string {
  const day = isoDay(at)
  const changes = current?.history === undefined ? [] : readChanges(current.history)
  const before =
    current === undefined ? marks.removed : current.history === undefined ? marks.unknown : mark(current.state)
  const isLater = (changes.at(-1)?.day ?? '') < day
  if (isLater && before !== mark(next)) changes.push({ day, before })
  return changes
    .filter((change) => change.day > keptFrom)
    .map((change) => change.day + change.before)
    .join(';')
}

/** What an entry, or none, was at the end of a day before `now`. */
export function stateOn(entry: CatalogueEntry | undefined, day: string, now: Date): PastState {
  if (entry === undefined) return { status: 'removed' }
  if (entry.history === undefined) return { status: 'unknown', since: isoDay(now) }
  const change = readChanges(entry.history).find((each) => each.day > day)
  const state = change?.before ?? mark(entry.state)
  if (state === marks.unknown) return { status: 'unknown', since: change?.day ?? isoDay(now) }
  if (state === marks.removed) return { status: 'removed' }
  return state === marks.ambiguous ? { status: 'ambiguous' } : { status: 'active', contentId: state }
}

/** The days on which what searches of an entry read changed, from a day on. */
export const listChangeDays = ({ history = '' }: CatalogueEntry, from = ''): readonly string[] =>
  readChanges(history).flatMap(({ day }) => (day > from ? day : []))

/** The contents that were active at the end of a day from `from` on, and are no longer. */
export const listPastContents = ({ history = '' }: CatalogueEntry, from: string): readonly string[] =>
  readChanges(history).flatMap(({ day, before }) => (day > from && before.length > 1 ? before : []))

/** Whether an entry was anything but removed at the end of a day from `from` on, or may have been. */
export const hasPast = ({ history = '' }: CatalogueEntry, from: string): boolean =>
  readChanges(history).some(({ day, before }) => day > from && before !== marks.removed)

/** The first day that searches can name at a time; empty if they can name all. */
export function firstKeptDay(kept: KeptDays | undefined, at: Date): string {
  if (kept === undefined) return ''
  const first = isoDay(subtractMonths(at, kept.months))
  return first > kept.formerFirst ? first : kept.formerFirst
}

function readChanges(history: string): Change[] {
  return history === '' ? [] : history.split(';').map((text) => ({ day: text.slice(0, 10), before: text.slice(10) }))
}

function mark(state: EntryState): string {
  if (state.status === 'active') return state.contentId
  return state.status === 'ambiguous' ? marks.ambiguous : marks.removed
}
