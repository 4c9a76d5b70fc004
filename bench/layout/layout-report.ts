import { formatTable } from '../../bin/command/table.ts'

/** What one layout stores. */
export interface StoredLayout {
  readonly name: string
  readonly files: number
  readonly rowGroups: number
  readonly bytes: number
}

/** What one search reads and how long it takes in each layout, in the order of the stored layouts. */
export interface MeasuredSearch {
  readonly name: string
  readonly namesCodes: boolean
  readonly rows: number
  readonly bytes: readonly number[]
  readonly seconds: readonly number[]
}

/** Factors by which we must store fewer bytes than sorted and unsorted layouts with one row per NPI. */
const storedGoals = [10, 30]

/** The share of the sorted layout's bytes that a search with codes may read. */
const readGoal = 0.1

/**
 * Formats the measurements: what is stored, what a search must read, how long it takes, and whether the goals are met.
 *
 * @param stored ours first, then sorted and unsorted, then others
 */
export function describeLayouts(stored: readonly StoredLayout[], searches: readonly MeasuredSearch[]): string {
  const names = stored.map(({ name }) => name)
  const [ours] = stored
  const storedRows = stored.map(({ bytes, ...layout }) => ({
    ...layout,
    MB: toMegabytes(bytes),
    'times ours': round(bytes / (ours?.bytes ?? 0)),
  }))
  return [
    formatTable(['name', 'files', 'rowGroups', 'MB', 'times ours'], storedRows),
    describeSearches('MB to read', names, searches, ({ bytes }) => bytes, toMegabytes),
    describeSearches(
      'ms',
      names,
      searches,
      ({ seconds }) => seconds,
      (seconds) => Math.round(seconds * 1000),
    ),
    [...describeStoredGoals(stored), describeReadGoal(searches), describeReadsMore(searches)].join('\n'),
  ].join('\n\n')
}

/** A table with one row per search: each layout's value, and its ratio to ours. */
function describeSearches(
  what: string,
  names: readonly string[],
  searches: readonly MeasuredSearch[],
  valuesOf: (search: MeasuredSearch) => readonly number[],
  show: (value: number) => number,
): string {
  const others = names.slice(1)
  const rows = searches.map((search) => {
    const values = valuesOf(search)
    const [ours = 0] = values
    return {
      [what]: search.name,
      rows: search.rows,
      ...Object.fromEntries(names.map((name, index) => [name, show(values[index] ?? 0)])),
      ...Object.fromEntries(others.map((name, index) => [`${name}/ours`, round((values[index + 1] ?? 0) / ours)])),
    }
  })
  return formatTable([what, 'rows', ...names, ...others.map((name) => `${name}/ours`)], rows)
}

function describeStoredGoals([ours, ...others]: readonly StoredLayout[]): readonly string[] {
  return storedGoals.map((goal, index) => {
    const times = (others[index]?.bytes ?? 0) / (ours?.bytes ?? 0)
    return `${times >= goal ? 'met' : 'NOT MET'}: ${round(times)} times fewer stored bytes than ${others[index]?.name} (goal: ${goal})`
  })
}

function describeReadGoal(searches: readonly MeasuredSearch[]): string {
  const withCodes = searches.filter(({ namesCodes }) => namesCodes)
  const shares = withCodes.map((search) => `${search.name} ${percent(shareOfSorted(search))}`)
  const isMet = withCodes.every((search) => shareOfSorted(search) <= readGoal)
  return `${isMet ? 'met' : 'NOT MET'}: searches that name codes read at most ${percent(readGoal)} of sorted: ${shares.join('; ')}`
}

function describeReadsMore(searches: readonly MeasuredSearch[]): string {
  const more = searches.filter((search) => shareOfSorted(search) > 1)
  const list = more.map((search) => `${search.name} (${round(shareOfSorted(search))} times)`)
  return `reads more than sorted: ${list.length === 0 ? 'none' : list.join('; ')}`
}

const shareOfSorted = ({ bytes: [ours = 0, sorted = 0] }: MeasuredSearch) => ours / sorted

const percent = (share: number) => `${round(share * 100)} %`

const toMegabytes = (bytes: number) => Number((bytes / 1e6).toFixed(3))

const round = (value: number) => Number(value.toPrecision(3))
