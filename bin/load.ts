import type { LoadRequest } from '../loader/load-files.ts'
import { loadFiles } from '../loader/load-files.ts'
import { describeReport } from '../loader/load-report.ts'
import { readLoadFilter } from '../loader/read-load-filter.ts'
import { CommandFailed, UsageError } from './command/errors.ts'
import { showLoadProgress } from './command/load-progress.ts'
import { readOptions } from './command/options.ts'
import { runCommand } from './command/run-command.ts'
import { requireSourceFiles } from './command/source-paths.ts'
import { defaultDataFolder } from './local-service.ts'
import { newOpaqueId } from './seed.ts'
import { warehouseOptions, withWarehouse } from './warehouse.ts'

const usage = `
Loads CMS in-network files, schemas 1.x and 2.x, of any size: plain, gzip or zip; - reads standard input. The files of
one command together become the content of the fee schedules that they name, and supersede their former content.

Usage: npm run load -- <in-network file>… [options]
       npm run load -- --toc <table of contents> [<in-network file>…] [options]

  --toc <file>          a table of contents: it says which plans there are, and of which files each consists
  --files <map.json>    the local files of the addresses in these files: {"<address or last segment>": "<path>"}
                        (default: the file with the address's last segment among those named, else beside the file
                        that contains the address); one local file serves several addresses only if the map gives
                        it for each of them by its whole address. Signatures in an address make no difference
  --payer <name>        the payer (default: the file's issuer, else its reporting entity)
  --plan <name>         the plan (default: the file's plan name); with --toc, load this plan alone
  --add                 keep the active files, except those of the same name
  --replace             allow a fee schedule to have fewer files than it has now
  --partial             load although listed files are missing, and mark the fee schedules so
  --max-skipped <share> refuse a file that would lose more of its prices, items, provider groups or NPIs (default 1%)
  --strict              refuse a file at the first value that would be lost or has the wrong type
  --codes <file>        keep only items with one of these billing codes, one a line
  --npis <file>         keep only rates of these NPIs, one a line; 0 is a rate for a whole TIN
  --networks <file>     keep only provider groups of these networks, one name a line
                        (searches for codes or NPIs that were left out fail with not_loaded)
  --create              make the data folder if it does not exist
  --help                print this

Where to:

  ${warehouseOptions(defaultDataFolder)}
`

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      toc: { type: 'string' },
      files: { type: 'string' },
      payer: { type: 'string' },
      plan: { type: 'string' },
      add: { type: 'boolean' },
      replace: { type: 'boolean' },
      partial: { type: 'boolean' },
      'max-skipped': { type: 'string', default: '1%' },
      strict: { type: 'boolean' },
      create: { type: 'boolean' },
      json: { type: 'boolean', default: false },
      codes: { type: 'string' },
      npis: { type: 'string' },
      networks: { type: 'string' },
      stage: { type: 'string' },
      data: { type: 'string', default: defaultDataFolder },
    },
  })
  if (positionals.length === 0 && values.toc === undefined) {
    throw new UsageError('name at least one in-network file, or a table of contents with --toc')
  }
  if (values.add && values.replace) throw new UsageError('--add keeps what --replace takes away: say one of them')
  requireSourceFiles([values.toc, values.files, ...positionals].filter((path) => path !== undefined))
  const request: LoadRequest = {
    ...values,
    files: positionals,
    fileMap: values.files,
    maxSkipped: readShare(values['max-skipped']),
    filter: await readLoadFilter(values),
  }
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stopping.abort(new CommandFailed('stopped: the former content is still active'))
      // A read that waits for a silent pipe does not look at the signal.
      if (positionals.includes('-')) process.stdin.destroy()
    })
  }
  await withWarehouse(values, async (opened) => {
    const progress = showLoadProgress(process.stderr)
    try {
      const report = await loadFiles(request, {
        ...opened,
        newSourceId: newOpaqueId,
        now: () => new Date(),
        onProgress: progress.show,
        signal: stopping.signal,
      })
      return { facts: { ...report }, text: describeReport(report).trimEnd(), wrote: true }
    } catch (error) {
      // Ctrl-C also ends the process that feeds a pipe: the file that is cut short then is not what went wrong.
      throw stopping.signal.aborted ? stopping.signal.reason : error
    } finally {
      progress.end()
    }
  })
})

/** Reads a share: `1%`, `0.5 %` or `0.01`. */
function readShare(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(text) ?? []
  const share = Number(number) / (percent ? 100 : 1)
  if (share >= 0 && share <= 1) return share
  throw new UsageError(`--max-skipped must be a share such as 1% or 0.01, not "${text}"`)
}
