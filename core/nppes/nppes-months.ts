/** A monthly file of NPPES as loaded: an immutable table of who providers are, and where. */
export interface NppesMonth {
  readonly nppesMonthId: string
  /** `YYYY-MM`, when CMS published it. */
  readonly month: string
  /** Number of NPIs. */
  readonly rows: number
  readonly bytes: number
  /** Rows that a search for one NPI reads at least. */
  readonly rowGroupRows: number
  readonly loadedAt: Date
}

/** Which months of NPPES there are. Replaced as a whole, on the condition of its version. */
export interface NppesMonths {
  readonly version: string
  /** The one that new searches read; absent if it was removed. */
  readonly active?: NppesMonth
  /** Those that a rollback brings back and running searches may still read, the latest first. */
  readonly replaced: readonly (NppesMonth & { readonly replacedAt: Date })[]
}

/** What a job stores of the month that it reads. */
export type ChosenNppesMonth = Pick<NppesMonth, 'nppesMonthId' | 'month'>

/** A month by its id, if it is still kept. */
export const findNppesMonth = (
  months: NppesMonths | undefined,
  { nppesMonthId }: Pick<NppesMonth, 'nppesMonthId'>,
): NppesMonth | undefined =>
  [months?.active, ...(months?.replaced ?? [])].find((each) => each?.nppesMonthId === nppesMonthId)
