import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { flags, type OptionValues, texts } from '../client/command-line/parse-options.ts'
import type { NppesMonth, NppesMonths } from '../core/nppes/nppes-months.ts'
import { isoDay } from '../core/time.ts'
import { isMonth, loadNppes } from '../loader/nppes/load-nppes.ts'
import { loadSpecialties } from '../loader/nppes/load-specialties.ts'
import { cleanNppesMonths, removeNppesMonth, rollBackNppesMonth } from '../loader/nppes/manage-nppes-months.ts'
import { countOf } from '../schema/phrases.ts'
import { installationOptions, readCommand } from './command/options.ts'
import { type Answer, printAnswer } from './command/output.ts'
import { openProgress } from './command/progress.ts'
import { onStopSignal, runCommand } from './command/run-command.ts'
import type { OpenedWarehouse } from './warehouse/connect-catalogue.ts'
import { fetchOptions, openRemote } from './warehouse/open-remote.ts'
import { openChosenWarehouse, warehouseOptions } from './warehouse/open-warehouse.ts'
import { requireSourceFiles } from './warehouse/source-paths.ts'

const usage = `
Loads who providers are and where, from CMS's monthly NPPES file, for the columns provider_* of results. New searches read
the month that was loaded last; it takes minutes, and disk for the file unpacked (10 GB). Also loads the names of
specialties, from NUCC's CSV of taxonomy codes.

Usage: npm run nppes -- load <CSV, gzip or zip, or its https URL> [--month <YYYY-MM>]
       npm run nppes -- list
       npm run nppes -- rollback
       npm run nppes -- remove
       npm run nppes -- clean
       npm run nppes -- specialties <CSV, gzip or zip, or its https URL>
       npm run nppes -- remove-specialties

  load      loads a monthly file and makes it active
  list      the active month, and those that can be brought back
  rollback  brings back the month that was replaced or removed last
  remove    leaves names and places out of new searches
  clean     deletes what was replaced or removed over a day ago, as every load does
  specialties
            replaces the specialties that people find by name by those of a release, such as nucc_taxonomy_251.csv
  remove-specialties
            removes them

  --month <YYYY-MM>  the month that the file is of (default: as its name says, npidata_pfile_…-20261109.csv)
  --allow-older      load a file of a month before the active one; to go back to the replaced month, use rollback
  --replace          load a file with less than half of the active month's NPIs, such as a weekly update
  --user-agent <text>, --connections <n>, --allow-private-addresses
                     how a URL is fetched, as in npm run load
  ${warehouseOptions}
  --help             print this
`

const { fetch: _, ...fetching } = fetchOptions
const options = { ...texts('month'), ...flags('replace', 'allow-older'), ...fetching, ...installationOptions }

type Values = OptionValues<typeof options>
type Open = Awaited<ReturnType<typeof openRemote>>
type Command = (deps: OpenedWarehouse, args: readonly string[], values: Values, fetching: Open) => Promise<Answer>

const stopping = new AbortController()

/** Throws an error of a load, or the stop that led to it. */
function throwStop(error: unknown): never {
  throw stopping.signal.aborted ? stopping.signal.reason : error
}

const commands: Readonly<Record<string, Command>> = {
  async load(deps, [path = ''], { month, replace, 'allow-older': allowOlder }, { name, remote }) {
    using progress = openProgress()
    const onStep = (step: string) => progress.begin(step)
    const request = { path: name(path), month, replace, allowOlder }
    const { signal } = stopping
    const loaded = await loadNppes(request, { ...deps, remote, signal, onStep }).catch(throwStop)
    const { nppesMonth, deactivated, broken, repeated } = loaded
    const omissions = `${deactivated} deactivated NPIs, ${broken} broken lines and ${repeated} repeated lines have no row`
    return { facts: { ...loaded }, text: `${describe(nppesMonth)} is active; ${omissions}`, wrote: true }
  },
  list: async ({ contents }) => ({ ...show((await contents.readNppesMonths()) ?? { replaced: [] }), wrote: false }),
  rollback: async (deps) => ({ ...show(await rollBackNppesMonth(deps)), wrote: true }),
  async specialties(deps, [path = ''], _, { name, remote }) {
    const { signal } = stopping
    const count = await loadSpecialties(name(path), { ...deps, remote, signal }).catch(throwStop)
    const text = `${countOf(count, 'specialty', 'specialties')} can be found by name`
    return { facts: { specialties: count }, text, wrote: true }
  },
  async 'remove-specialties'({ specialties }) {
    await specialties.writeSpecialties([])
    return { facts: { specialties: 0 }, text: 'no specialty can be found by name', wrote: true }
  },
  remove: async (deps) => ({ ...show(await removeNppesMonth(deps)), wrote: true }),
  async clean(deps) {
    const files = await cleanNppesMonths(deps)
    return { facts: { removed: { files } }, text: `removed ${files} files that no search reads`, wrote: true }
  },
}

const describe = ({ month, rows, bytes, directory, loadedAt }: NppesMonth) =>
  `NPPES ${month} of ${rows} NPIs (${Math.ceil((bytes + (directory?.bytes ?? 0)) / 1e6)} MB, loaded ${isoDay(loadedAt)})`

function show({ active, replaced }: Omit<NppesMonths, 'version'>) {
  const former = replaced.map((each) => `${describe(each)} was replaced`)
  const now = active === undefined ? 'no NPPES is active' : `${describe(active)} is active`
  return { facts: { active: active ?? null, replaced }, text: [now, ...former].join('\n') }
}

await runCommand(usage, async () => {
  const { values, command, name, args } = readCommand(commands, options)
  const isLoad = name === 'load' || name === 'specialties'
  if (args.length !== (isLoad ? 1 : 0)) throw new UsageError(isLoad ? 'name one file or URL' : `${name} takes no names`)
  if (name === 'specialties' && (values.month !== undefined || values.replace || values['allow-older']))
    throw new UsageError('specialties takes no --month, --replace or --allow-older')
  if (values.month !== undefined && !isMonth(values.month))
    throw new UsageError(`--month must be a month such as 2026-11, not "${values.month}"`)
  requireSourceFiles(args, { allowsPrivate: values['allow-private-addresses'] })
  await using remote = await openRemote(values, args)
  onStopSignal(() => stopping.abort(new CommandFailed('stopped; what was loaded before is still active')))
  await using opened = await openChosenWarehouse(values)
  printAnswer(await command(opened, args, values, remote), opened.installation, values.json)
})
