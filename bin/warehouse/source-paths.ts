import { statSync } from 'node:fs'
import type { AddressRules } from '../../adapters/network/network-addresses.ts'
import { readRemoteUrl } from '../../adapters/network/remote-address.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { isRemote } from '../../fetch/file-address.ts'
import { toOneLine } from '../../fetch/load-refused.ts'
import { privateHint } from '../../fetch/remote/http-settings.ts'

/**
 * Refuses paths and URLs that a load cannot read, naming all of them in one message.
 *
 * @param paths as the operator gave them; `-` is standard input
 * @throws CommandFailed
 */
export function requireSourceFiles(paths: readonly string[], rules: AddressRules): void {
  const faults = paths.flatMap((path) => findFault(path, rules) ?? [])
  if (faults.length > 0) throw new CommandFailed(faults.join('; '))
}

function findFault(path: string, rules: AddressRules): string | undefined {
  if (path === '-') return undefined
  if (isRemote(path)) return findUrlFault(path, rules)
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(path) ?? []
  // The query string of a pre-signed URL is a secret.
  if (scheme !== undefined)
    return `${path.split(/[?#]/, 1)[0]} is not fetched: download it${scheme === 's3' ? ' (aws s3 cp)' : ''}, then load the file`
  const status = statSync(path, { throwIfNoEntry: false })
  if (status === undefined) return `${path} does not exist`
  return status.isDirectory()
    ? `${path} is a folder: name the files in it, such as ${path.replace(/\/?$/, '/*.json.gz')}`
    : undefined
}

function findUrlFault(url: string, rules: AddressRules): string | undefined {
  try {
    readRemoteUrl(url, { ...rules, hint: privateHint })
    return undefined
  } catch (error) {
    return `${toOneLine(url)} ${error instanceof Error ? error.message : 'is not a URL'}`
  }
}
