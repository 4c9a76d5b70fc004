import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions } from '../../client/command-line/parse-options.ts'
import { describeStageFile } from '../../lib/stage/stage-schema.ts'
import { runCommand } from '../command/run-command.ts'
import { describeApi } from './api-document.ts'
import { writeCallsTable } from './calls-table.ts'
import { describeClient } from './client-page.ts'
import { describeClientTypes } from './client-types.ts'
import { describeColumns, describeSchema } from './schema-page.ts'
import { describeSummarySchema } from './summary-page.ts'

const usage = `
Writes docs/result-schema.md, docs/summary-schema.md and client/results/column-meanings.ts from the columns in schema/, docs/openapi.json and client/api.ts from contract/,
docs/client.md from the docstrings in client/, the tables of calls in README.md and docs/api.md, and stages/stage.schema.json
from the fields of a stage.

Usage: npm run schema

  --help  print this
`

await runCommand(usage, async () => {
  readOptions({ options: {} })
  const root = join(import.meta.dirname, '../..')
  const pages = {
    'docs/result-schema.md': describeSchema(),
    'docs/summary-schema.md': describeSummarySchema(),
    'client/results/column-meanings.ts': describeColumns(),
    'docs/openapi.json': printJson(describeApi()),
    'client/api.ts': describeClientTypes(describeApi()),
    'docs/client.md': describeClient((path) => readFileSync(join(root, path), 'utf8'), describeApi()),
    'README.md': writeCallsTable(readFileSync(join(root, 'README.md'), 'utf8')),
    'docs/api.md': writeCallsTable(readFileSync(join(root, 'docs/api.md'), 'utf8')),
    'stages/stage.schema.json': printJson(describeStageFile()),
  }
  for (const [path, text] of Object.entries(pages)) {
    writeFileSync(join(root, path), text)
    process.stdout.write(`Written to ${path}\n`)
  }
})

function printJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
