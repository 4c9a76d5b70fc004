import { writeFile } from 'node:fs/promises'
import { codeOf } from '../../errors.ts'
import { type Change, comparedColumns, compareResults, countChanges } from '../../results/compare-results.ts'
import type { Command } from '../command.ts'
import { readArguments } from '../options.ts'
import { listResultFiles, loadLibrary, openReader } from '../result-files.ts'
import { formatTable } from '../table.ts'
import { CommandFailed, UsageError } from '../usage-error.ts'

/** Changes that are printed as a table. */
const maxShown = 100

export const diffCommand: Command = {
  name: 'diff',
  summary: 'compare the prices of two downloaded results',
  usage: `
Compares two downloaded results of the same plans and filters, such as of two months (search --as-of): which prices were
added, removed or changed, with old and new amounts. A price is known by its price_key, which plans with the same
networks share: then no plan is named.

Usage: rate-search diff <old file or folder> <new file or folder> [--out <file>]

  --out <file>  write all changes as Parquet to this file, which must not exist
  --json        print all changes as JSON
  -h, --help    print this

Examples:
  rate-search diff rates-october/ rates-november/
  rate-search diff rates-october/ rates-november/ --out changes.parquet
`,
  async run(args, world) {
    const { values, positionals } = readArguments(args, { out: { type: 'string' } }, true)
    const [older, newer, ...others] = positionals
    if (older === undefined || newer === undefined || others.length > 0)
      throw new UsageError('give two results, the older first')
    const { readResult } = await openReader()
    const read = async function* (path: string) {
      for (const file of await listResultFiles([path]))
        for await (const rows of readResult(file, comparedColumns)) {
          world.signal.throwIfAborted()
          yield rows
        }
    }
    const changes = await compareResults(read(older), read(newer)).catch((error: unknown) => {
      throw error instanceof RangeError ? new CommandFailed(error.message) : error
    })
    if (values.out !== undefined) await writeChanges(values.out, changes)
    world.output.write(values.json ? `${JSON.stringify(changes)}\n` : `${describeChanges(changes)}\n`)
  },
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
  const rest = changes.length > maxShown ? `; the first ${maxShown} are above, --json and --out have all` : ''
  return `${table}\n\n${total}${rest}`
}

async function writeChanges(path: string, changes: readonly Change[]): Promise<void> {
  const { parquetWriteBuffer } = await loadLibrary(import('hyparquet-writer'))
  const texts = ['change', 'price_key', 'payer', 'plan', 'billing_code_type', 'billing_code', 'tin_value', 'rate_unit']
  const names = [...texts, 'old', 'new', 'percent']
  const optional = { repetition_type: 'OPTIONAL' } as const
  const bytes = parquetWriteBuffer({
    columnData: names.map((name) => ({ name, data: changes.map((each) => Reflect.get(each, name)) })),
    schema: [
      { name: 'root', num_children: names.length },
      ...texts.map((name) => ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional }) as const),
      ...['old', 'new'].flatMap((name) => [
        { name, num_children: 1, converted_type: 'LIST', ...optional } as const,
        { name: 'list', num_children: 1, repetition_type: 'REPEATED' } as const,
        { name: 'element', type: 'DOUBLE', ...optional } as const,
      ]),
      { name: 'percent', type: 'DOUBLE', ...optional },
    ],
  })
  await writeFile(path, new Uint8Array(bytes), { flag: 'wx' }).catch((error: unknown) => {
    throw new UsageError(
      codeOf(error) === 'EEXIST' ? `--out: ${path} exists; name another file` : `--out: ${path}: ${codeOf(error)}`,
    )
  })
}
