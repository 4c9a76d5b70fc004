/** A loaded monthly file of NPPES: an immutable table of providers, their taxonomies and places. */
export interface NppesMonth {
  readonly nppesMonthId: string
  /** `YYYY-MM`, when CMS published it. */
  readonly month: string
  /** Number of NPIs. */
  readonly rows: number
  /** Size of the table by NPI. */
  readonly bytes: number
  /** The same providers by place. @default - none: an earlier version loaded the month */
  readonly directory?: { readonly bytes: number }
  /** Rows of a row group, the least that a search for one NPI reads. */
  readonly rowGroupRows: number
  readonly loadedAt: Date
}

/** All loaded NPPES months. Replaced as a whole, on the condition of its version. */
export interface NppesMonths {
  readonly version: string
  /** The month that new searches read; absent if it was removed. */
  readonly active?: NppesMonth
  /** Replaced months, latest first: a rollback may bring them back, and running searches may still read them. */
  readonly replaced: readonly (NppesMonth & { readonly replacedAt: Date })[]
}

/** The fields of an NPPES month that a job stores. */
export type ChosenNppesMonth = Pick<NppesMonth, 'nppesMonthId' | 'month'>

/** Finds a month by its id; undefined if it has been removed. */
export const findNppesMonth = (
  months: NppesMonths | undefined,
  { nppesMonthId }: Pick<NppesMonth, 'nppesMonthId'>,
): NppesMonth | undefined =>
  [months?.active, ...(months?.replaced ?? [])].find((each) => each?.nppesMonthId === nppesMonthId)
