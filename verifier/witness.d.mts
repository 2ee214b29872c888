/** The parts of the witness that tests use. */
import type { Server } from 'node:http'
import type { Trust } from './verify-bundle.mjs'

export interface WitnessResponse {
  status: number
  text: string
  type: string
}

export interface WitnessProgram {
  vkey: string
  addCheckpoint(body: string): WitnessResponse
}

export function openWitness(
  name: string,
  folder: string,
  trust: readonly Trust[],
  now?: () => number,
): WitnessProgram
export function serveWitness(witness: WitnessProgram): Server
