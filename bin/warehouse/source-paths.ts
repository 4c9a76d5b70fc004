import { statSync } from 'node:fs'
import { CommandFailed } from '../command/errors.ts'

/**
 * Refuses paths that a load cannot read (URLs, folders, missing files), naming all of them in one message.
 *
 * @param paths as the operator gave them; `-` is standard input
 * @throws CommandFailed
 */
export function requireSourceFiles(paths: readonly string[]): void {
  const faults = paths.flatMap((path) => findFault(path) ?? [])
  if (faults.length > 0) throw new CommandFailed(faults.join('; '))
}

function findFault(path: string): string | undefined {
  if (path === '-') return undefined
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(path) ?? []
  // The query string of a pre-signed URL is a secret.
  if (scheme !== undefined)
    return `${path.split(/[?#]/, 1)[0]} is a URL: download it${scheme === 's3' ? ' (aws s3 cp)' : ''}, then load the file`
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return `${path} does not exist`
  return found.isDirectory()
    ? `${path} is a folder: name the files in it, such as ${path.replace(/\/?$/, '/*.json.gz')}`
    : undefined
}
