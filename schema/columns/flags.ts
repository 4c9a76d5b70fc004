/** A reason to doubt a price, as an element of the column `flags`. */
export interface Flag {
  /** The file that decides which prices or rows have it. */
  readonly decidedIn: string
  /** The rows or prices of a file that the rule is about. */
  readonly over: 'rows' | 'prices without placeholders'
  /** The condition in DuckDB's SQL over a result; docs/result-values.md defines the window `alike`. */
  readonly rule: string
  /** The condition in SQL over the loader's tables, if the view `rates` decides the flag. */
  readonly inView?: string
  /** True if the amount may not be a rate at all, so that statistics leave it out. */
  readonly isDoubtful: boolean
}

/**
 * Every flag of a row: what it means and where it is decided. The loader decides the flags of amounts, which depend on
 * other prices of the file; the others are decided for each row that is read.
 */
const records = {
  placeholder: {
    decidedIn: 'loader/write/validation/flag-amounts.ts',
    over: 'rows',
    rule: "negotiated_rate <= 0 OR negotiated_rate = 0.01 OR (negotiated_rate = 1 AND rate_unit <> 'percent_of_charges') OR regexp_matches(CAST(negotiated_rate AS varchar), '^9{4,9}[.]9*0*$')",
    isDoubtful: true,
  },
  expired: {
    decidedIn: 'schema/columns/flags.ts',
    over: 'rows',
    rule: 'expiration_date < last_updated_on',
    inView: 'negotiated_rates.expiration_date < fee_schedule_sources.last_updated_on',
    isDoubtful: false,
  },
  outlier_high: {
    decidedIn: 'loader/write/validation/outlier-finder.ts',
    over: 'prices without placeholders',
    rule: 'negotiated_rate > 10 * quantile_disc(negotiated_rate, 0.5) OVER alike AND count(*) OVER alike >= 11',
    isDoubtful: true,
  },
  outlier_low: {
    decidedIn: 'loader/write/validation/outlier-finder.ts',
    over: 'prices without placeholders',
    rule: '10 * negotiated_rate < quantile_disc(negotiated_rate, 0.5) OVER alike AND count(*) OVER alike >= 11',
    isDoubtful: true,
  },
  blanket: {
    decidedIn: 'loader/write/validation/blanket-amounts.ts',
    over: 'rows',
    rule: 'count(DISTINCT (billing_code_type, billing_code)) OVER (PARTITION BY provider_group_id, rate_unit, negotiated_rate) >= 50',
    isDoubtful: false,
  },
} as const satisfies Readonly<Record<string, Flag>>

export type FlagName = keyof typeof records

/** The flags by their names. */
export const rowFlags: Readonly<Record<FlagName, Flag>> = records

const isFlag = (name: string): name is FlagName => Object.hasOwn(records, name)

/** The names of the flags, sorted as a row has them. */
export const flagNames: readonly FlagName[] = Object.keys(records).filter(isFlag).sort()

/** The flags that the loader decides among the prices of a file, which are stored as the column `amount_flags`. */
export type AmountFlag = {
  [Name in FlagName]: (typeof records)[Name]['decidedIn'] extends `loader/${string}` ? Name : never
}[FlagName]
