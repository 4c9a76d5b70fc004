import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions } from './command/options.ts'
import { runCommand } from './command/run-command.ts'
import { describeSchema } from './schema-page.ts'

const usage = `
Writes docs/result-schema.md from the columns in core/rates.ts.

Usage: npm run schema

  --help  print this
`

await runCommand(usage, async () => {
  readOptions({ options: {} })
  const page = join(import.meta.dirname, '..', 'docs', 'result-schema.md')
  writeFileSync(page, describeSchema())
  process.stdout.write(`Written to ${page}\n`)
})
