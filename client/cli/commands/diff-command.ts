import { open, rm } from 'node:fs/promises'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { CommandFailed, UsageError } from '../../command-line/command-errors.ts'
import { formatTable } from '../../command-line/table.ts'
import { codeOf } from '../../errors.ts'
import {
  amountScale,
  type Change,
  comparedColumns,
  compareResults,
  countChanges,
} from '../../results/compare-results.ts'
import type { Command } from '../command.ts'
import { readArguments } from '../options.ts'
import { listResultFiles, readRowsOf } from '../result-files.ts'

/** Changes that are printed as a table. */
const maxShown = 100

export const diffCommand: Command = {
  name: 'diff',
  summary: 'compare the prices of two downloaded results',
  usage: `
Compares two downloaded results of the same plans and filters, such as those of two months (search --as-of), and lists
the prices that were added, removed or changed, with their old and new amounts. Prices are matched by price_key; no plan
is named if several plans with the same networks share it.

Usage: rate-search diff <old file or folder> <new file or folder> [--out <file>]

  --out <file>  write all changes as Parquet to this file, which must not exist yet
  --json        print all changes as JSON
  -h, --help    print this help

Examples:
  rate-search diff rates-october/ rates-november/
  rate-search diff rates-october/ rates-november/ --out changes.parquet
`,
  async run(args, world) {
    const { values, positionals } = readArguments(args, { out: { type: 'string' } }, true)
    const [older, newer, ...others] = positionals
    if (older === undefined || newer === undefined || others.length > 0)
      throw new UsageError('give two results, the older first')
    const readBlocks = async function* (path: string) {
      for (const file of await listResultFiles([path]))
        for await (const rows of readRowsOf(file, comparedColumns)) {
          world.signal.throwIfAborted()
          yield rows
        }
    }
    const changes = await compareResults(readBlocks(older), readBlocks(newer)).catch((error: unknown) => {
      throw error instanceof RangeError ? new CommandFailed(error.message) : error
    })
    if (values.out !== undefined) await writeChanges(values.out, changes)
    world.output.write(values.json ? `[${changes.map(writeJson).join()}]\n` : `${describeChanges(changes)}\n`)
  },
}

/** A change as JSON, in which amounts have all their digits: `JSON.stringify` would write the nearest double. */
function writeJson({ old, new: now, percent, ...texts }: Change): string {
  return `${JSON.stringify(texts).slice(0, -1)},"old":[${old.join()}],"new":[${now.join()}],"percent":${percent}}`
}

function describeChanges(changes: readonly Change[]): string {
  const total = countChanges(changes)
  if (changes.length === 0) return total
  const rows = changes
    .slice(0, maxShown)
    .map((each) => [
      ...[each.change, each.plan, `${each.billing_code_type} ${each.billing_code}`, each.tin_value, each.rate_unit],
      ...[each.old.join(', '), each.new.join(', '), each.percent === null ? '' : `${each.percent} %`],
    ])
  const table = formatTable(['CHANGE', 'PLAN', 'CODE', 'TIN', 'UNIT', 'OLD', 'NEW', 'PERCENT'], rows)
  const hint = changes.length > maxShown ? `; the first ${maxShown} are shown, --json and --out have all` : ''
  return `${table}\n\n${total}${hint}`
}

/** Writes changes as Parquet, with amounts as decimal(18,4), as results have them. */
async function writeChanges(path: string, changes: readonly Change[]): Promise<void> {
  const texts = [
    'change',
    'price_key',
    'payer',
    'plan',
    'billing_code_type',
    'billing_code',
    'tin_value',
    'rate_unit',
  ] as const
  const sides = ['old', 'new'] as const
  const optional = { repetition_type: 'OPTIONAL' } as const
  const decimal = { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: amountScale } as const
  const bytes = parquetWriteBuffer({
    columnData: [
      ...texts.map((name) => ({ name, data: changes.map((each) => each[name]) })),
      ...sides.map((name) => ({
        name,
        data: changes.map((each) => each[name].map((amount) => amount.unscaledAt(amountScale))),
      })),
      { name: 'percent', data: changes.map(({ percent }) => percent) },
    ],
    schema: [
      { name: 'root', num_children: texts.length + sides.length + 1 },
      ...texts.map((name) => ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional }) as const),
      ...sides.flatMap((name) => [
        { name, num_children: 1, converted_type: 'LIST', ...optional } as const,
        { name: 'list', num_children: 1, repetition_type: 'REPEATED' } as const,
        { name: 'element', ...decimal, ...optional } as const,
      ]),
      { name: 'percent', type: 'DOUBLE', ...optional },
    ],
  })
  await writeNewFile(path, new Uint8Array(bytes))
}

/**
 * Writes a file that must not exist, and leaves nothing of it behind if that fails.
 *
 * @throws UsageError
 */
async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const fail = (error: unknown) => {
    const code = codeOf(error)
    const fault = code === 'EEXIST' ? 'exists; name another file' : `cannot be written: ${code}`
    throw new UsageError(`--out: ${path} ${fault}`)
  }
  const file = await open(path, 'wx').catch(fail)
  try {
    await file.writeFile(bytes)
  } catch (error) {
    await rm(path)
    fail(error)
  } finally {
    await file.close()
  }
}
