import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { runCommand } from '../../../bin/command/run-command.ts'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'
import { readOptions } from '../../../client/command-line/parse-options.ts'
import { publishRelease } from './publish-release.ts'
import { listReleaseFaults, type ReleaseFiles, readNotes } from './release-faults.ts'
import { findCommit, readFileAt, readVersionAt } from './release-history.ts'

const usage = `
Says whether the present commit is a release, which is a commit that changes the version of package.json, and checks that
it can be tagged: the packages and the changelog have the same version, a higher one than before, the changelog's section
has a date and begins with "Upgrading", and the tag v<version> does not exist at another commit.

Usage: npm run release -- [--since <commit>] [--publish]

  --since <commit>  the commit before the change (default HEAD^)
  --publish         if it is a release, create the tag and the release on GitHub and start the workflow that deploys it;
                    needs GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN
  --help            print this

In a workflow of GitHub, a release sets the output "version". Exit code: 0 for a release without faults and for a commit
that is none, 1 for a release with faults, 2 for wrong arguments.
`

const checkout = resolve('.')

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: { since: { type: 'string' }, publish: { type: 'boolean', default: false } },
  })
  const version = await requireVersionAt('HEAD')
  if (values.since === undefined && (await findCommit(checkout, 'HEAD^')) === undefined) {
    print('NOT checked: this clone has no commit before the present one, which would tell whether it is a release')
    return
  }
  const earlierVersion = await requireVersionAt(values.since ?? 'HEAD^')
  if (version === earlierVersion) {
    print(`no release: the version is still ${version}`)
    return
  }
  const commit = await requireCommit('HEAD')
  const files = await readFiles()
  const faults = listReleaseFaults(files, {
    earlierVersion,
    commit,
    taggedCommit: await findCommit(checkout, `refs/tags/v${version}`),
  })
  const isFollowed = (await readVersionAt(checkout, 'HEAD^')) === version
  const order = isFollowed ? [`the commit that changes the version to ${version} must be the last one of a push`] : []
  const allFaults = [...order, ...faults]
  if (allFaults.length > 0) throw new CommandFailed(`${version} cannot be released: ${allFaults.join('; ')}`)
  if (values.publish) {
    const repository = { apiUrl: readVariable('GITHUB_API_URL'), name: readVariable('GITHUB_REPOSITORY') }
    const publication = { version, commit, notes: readNotes(files['CHANGELOG.md'], version) }
    await publishRelease({ ...repository, token: readVariable('GITHUB_TOKEN') }, publication)
  }
  print(values.publish ? `v${version} is tagged and will be deployed` : `${version} can be released`)
  const { GITHUB_OUTPUT: outputs } = process.env
  if (outputs) appendFileSync(outputs, `version=${version}\n`)
})

async function requireVersionAt(commit: string): Promise<string> {
  const version = await readVersionAt(checkout, commit)
  if (version === undefined)
    throw new CommandFailed(`the commit ${commit} has no package.json, or this clone lacks it: git fetch --unshallow`)
  return version
}

async function requireCommit(name: string): Promise<string> {
  const commit = await findCommit(checkout, name)
  if (commit === undefined) throw new CommandFailed(`this clone has no commit ${name}`)
  return commit
}

/** Reads the files of the present commit: what is not committed is not released. */
async function readFiles(): Promise<ReleaseFiles> {
  const read = async (path: keyof ReleaseFiles) => {
    const text = await readFileAt(checkout, 'HEAD', path)
    if (text === undefined) throw new CommandFailed(`the present commit has no ${path}`)
    return text
  }
  return {
    'package.json': await read('package.json'),
    'client/package.json': await read('client/package.json'),
    'package-lock.json': await read('package-lock.json'),
    'CHANGELOG.md': await read('CHANGELOG.md'),
  }
}

function readVariable(name: string): string {
  const value = process.env[name]
  if (!value) throw new CommandFailed(`${name} is not set: --publish runs in a workflow of GitHub`)
  return value
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
