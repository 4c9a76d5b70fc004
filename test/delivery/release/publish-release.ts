import * as v from 'valibot'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'

/** The repository on GitHub, as a workflow's environment describes it. */
export interface Repository {
  /** Address of the REST API. */
  readonly apiUrl: string
  /** `<owner>/<name>`. */
  readonly name: string
  /** Token with the rights `contents: write` and `actions: write`. */
  readonly token: string
}

/** A commit to tag. */
export interface Publication {
  readonly version: string
  readonly commit: string
  /** Text of the release, in Markdown. */
  readonly notes: string
}

/** Name of the workflow that deploys a tag. */
export const deployingWorkflow = 'release.yml'

const refSchema = v.object({ object: v.object({ sha: v.string() }) })

/**
 * Creates the tag of a version and its release on GitHub, and starts the workflow that deploys it. A run that failed
 * halfway can be repeated: what exists is left as it is.
 *
 * A tag that is pushed with a workflow's own token starts no workflow. Only dispatches do, and a workflow that is
 * dispatched for a tag has the tag as its ref, which the environments ask for. Source: GitHub's documentation,
 * "Triggering a workflow from a workflow" and "Deployments and environments".
 *
 * @throws CommandFailed if GitHub refuses a request, or the tag exists at another commit
 */
export async function publishRelease(repository: Repository, publication: Publication): Promise<void> {
  const { version, commit, notes } = publication
  const tag = `v${version}`
  const existing = await request(repository, 'GET', `git/ref/tags/${tag}`)
  if (existing === undefined) await request(repository, 'POST', 'git/refs', { ref: `refs/tags/${tag}`, sha: commit })
  else if (v.parse(refSchema, existing).object.sha !== commit)
    throw new CommandFailed(`the tag ${tag} exists already at another commit than ${commit}`)
  if ((await request(repository, 'GET', `releases/tags/${tag}`)) === undefined)
    await request(repository, 'POST', 'releases', { tag_name: tag, name: tag, body: notes })
  await request(repository, 'POST', `actions/workflows/${deployingWorkflow}/dispatches`, { ref: tag })
}

/** Calls GitHub. @returns the answer; undefined if a GET finds nothing @throws CommandFailed */
async function request(
  { apiUrl, name, token }: Repository,
  method: 'GET' | 'POST',
  path: string,
  body?: Readonly<Record<string, string>>,
): Promise<unknown> {
  const response = await fetch(`${apiUrl}/repos/${name}/${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  const text = await response.text()
  if (method === 'GET' && response.status === 404) return undefined
  if (!response.ok) throw new CommandFailed(`GitHub answered ${method} ${path} with ${response.status}: ${text}`)
  return text === '' ? {} : JSON.parse(text)
}
