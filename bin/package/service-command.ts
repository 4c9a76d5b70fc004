#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { commandsOfCheckout, removedCommands } from '../command/packaged-service.ts'

/**
 * The command `rate-search-service` of the package: starts the command that its first argument names, as the package's
 * npm scripts do, but in the folder of the user. It also has to load on a Node that is too old for the commands.
 */

const root = join(import.meta.dirname, '../..')

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly scripts: Readonly<Record<string, string>>
}

const { version, engines, scripts }: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const usage = `Rate search service ${version}: runs the service on this machine, and operates deployed stages.

Usage: rate-search-service <command> [options]

Commands: ${Object.keys(scripts).join(', ')}
rate-search-service <command> --help explains a command. ${commandsOfCheckout.join(' and ')} need a checkout of the repository.`

process.exitCode = await main(process.argv.slice(2))

async function main([name = '--help', ...args]: readonly string[]): Promise<number> {
  const lowestNode = engines.node.replace('>=', '')
  if (process.versions.node.localeCompare(lowestNode, 'en', { numeric: true }) < 0)
    return refuse(`Node ${lowestNode} or later is required; this is ${process.version}`, 1)
  if (['--version', '-v'].includes(name)) return say(version)
  if (['--help', '-h', 'help'].includes(name)) return say(usage)
  if (commandsOfCheckout.includes(name))
    return refuse(
      `${name} needs a checkout of version ${version} of the repository, because the package has no CDK: run npm ci and npm run ${name} there`,
      1,
    )
  const successor = removedCommands.get(name)
  if (successor !== undefined) return refuse(`the command "${name}" was removed: ${successor}`, 2)
  const script = scripts[name]
  if (script === undefined) return refuse(`there is no command "${name}" (see --help)`, 2)
  return run(script, args)
}

/** Runs a script of the manifest, `node <options> <file> <arguments>`, whose files are relative to the package. */
async function run(script: string, args: readonly string[]): Promise<number> {
  const [, ...words] = script.split(' ')
  const nodeArguments = words.map((word) => (existsSync(join(root, word)) ? join(root, word) : word))
  const child = spawn(process.execPath, [...nodeArguments, ...args], { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both processes; the command decides how it ends.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  await once(child, 'close')
  return child.signalCode === null ? (child.exitCode ?? 1) : 128 + constants.signals[child.signalCode]
}

function say(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function refuse(fault: string, exitCode: number): number {
  process.stderr.write(`error: ${fault}\n`)
  return exitCode
}
