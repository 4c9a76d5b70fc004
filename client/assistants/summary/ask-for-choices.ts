import { at } from '../../../schema/at.ts'
import { termColumns } from '../../../schema/summary/definition.ts'
import { few } from '../../../schema/summary/percentiles.ts'
import { placeColumn } from '../../../schema/summary/summary-columns.ts'
import { groupRows, type ResultRow } from '../../results/result-row.ts'
import { plainValue } from '../../results/summary-rows.ts'
import { type Need, shortValue, withoutEmpty } from '../answer.ts'

/** A choice that can change an answer. */
interface Question {
  readonly column: string
  readonly ask: string
  /** Words for the absence of a value. */
  readonly none: string
  /** Columns that may differ between the choices, too. @default - none */
  readonly dependent?: readonly string[]
}

/** The questions in the order in which they matter. */
const questions: readonly Question[] = [
  {
    column: 'billing_class',
    ask: 'Professional (the physician or practice bills) or institutional (the hospital or facility bills its own amount)?',
    none: 'not published',
    // Professional prices have places, modifiers and terms that institutional ones lack, so all of these may differ.
    dependent: ['billing_code_modifier', placeColumn.name, ...termColumns],
  },
  {
    column: 'billing_code_modifier',
    ask: 'Is a modifier billed (such as 26 for the reading of an image), or none?',
    none: 'none',
  },
  {
    column: placeColumn.name,
    ask: 'Where is the service performed (place of service)?',
    none: 'not published',
  },
  { column: 'network', ask: 'Which network does the patient have?', none: 'not published' },
]

/** Least ratio of two medians that makes a choice worth a question. */
const minRatio = 1.1

/** Maximum number of options of a question. */
const maxOptions = 8

/**
 * Asks for each column whose choice changes the median by more than a tenth. The options are those of the largest
 * groups that it divides, and never groups of few prices, whose medians are accidents.
 *
 * @param groups of a whole summary
 * @param about the columns that say what a group is about
 */
export function askForChoices(groups: readonly ResultRow[], about: readonly string[]): readonly Need[] {
  const tellingGroups = groups
    .filter((row) => valuesOf(row) >= few && medianOf(row) !== null)
    .toSorted((one, other) => valuesOf(other) - valuesOf(one))
  return questions.flatMap((question) => {
    const alternatives = listAlternatives(tellingGroups, about, question)
      .filter((options) => ratioOf(options) > minRatio)
      .toSorted((one, other) => totalOf(other) - totalOf(one))
    const [largest] = alternatives
    return largest === undefined ? [] : [describeQuestion(question, largest, about, listCodes(alternatives))]
  })
}

/**
 * Divides groups into those that differ only in the column of a question and in what depends on it, and returns the
 * largest group for each value of the column.
 *
 * @param groups the largest first
 */
function listAlternatives(
  groups: readonly ResultRow[],
  about: readonly string[],
  { column, dependent = [] }: Question,
): readonly (readonly ResultRow[])[] {
  const fixed = about.filter((name) => name !== column && !dependent.includes(name))
  const alternatives = groupRows(groups, (row) => keyOf(row, fixed))
  return [...alternatives.values()].map((rows) =>
    [...groupRows(rows, (row) => keyOf(row, [column])).values()].map((options) => at(options, 0)),
  )
}

/** Names the code, the plan and the terms that the options share, and what each option has besides. */
function describeQuestion(
  { column, ask, none }: Question,
  options: readonly ResultRow[],
  about: readonly string[],
  codes: readonly unknown[],
): Need {
  const otherColumns = about.filter((name) => name !== column)
  const differing = otherColumns.filter((name) => new Set(options.map((row) => keyOf(row, [name]))).size > 1)
  const common = otherColumns.filter((name) => !differing.includes(name))
  const first = at(options, 0)
  const furtherCodes = codes.filter((code) => code !== first['billing_code'])
  return {
    about: column,
    ask,
    of: pick(first, common),
    choices: options.slice(0, maxOptions).map((row) => ({
      [column]: shortValue(row[column]) ?? none,
      ...pick(row, differing),
      median: medianOf(row),
      value_count: valuesOf(row),
    })),
    ...(furtherCodes.length > 0 && { also_matters_for: shortValue(furtherCodes) }),
  }
}

const keyOf = (row: ResultRow, names: readonly string[]) => JSON.stringify(names.map((name) => plainValue(row[name])))

const pick = (row: ResultRow, names: readonly string[]) =>
  withoutEmpty(Object.fromEntries(names.map((name) => [name, shortValue(row[name])])))

const listCodes = (alternatives: readonly (readonly ResultRow[])[]) => [
  ...new Set(alternatives.map((options) => at(options, 0)['billing_code'])),
]

const medianOf = (row: ResultRow) => plainValue(row['median'])

const valuesOf = (row: ResultRow) => Number(row['value_count'])

const totalOf = (rows: readonly ResultRow[]) => rows.reduce((total, row) => total + valuesOf(row), 0)

function ratioOf(rows: readonly ResultRow[]): number {
  const medians = rows.map((row) => Number(medianOf(row)))
  const least = Math.min(...medians)
  return least > 0 ? Math.max(...medians) / least : 1
}
