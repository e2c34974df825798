// Starts `armwerk language-server` and `armwerk debug-adapter`; needs no build step.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** The command of armwerk: a name on the path, or a file. */
function command() {
  return vscode.workspace.getConfiguration("armwerk").get("command") || "armwerk";
}

async function start() {
  const run = { command: command(), args: ["language-server"] };
  const arms = vscode.workspace.getConfiguration("armwerk").get("arms") || [];
  client = new LanguageClient("armwerk", "armwerk", run, {
    documentSelector: [{ language: "irl" }],
    initializationOptions: { arms },
    synchronize: { configurationSection: "armwerk" },
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `armwerk: '${run.command} language-server' does not start (${error.message}). ` +
        "Install it with pip install 'armwerk[editors]', or set armwerk.command.",
    );
  }
}

/** Fills in what a launch leaves out, so that F5 works in a program without any settings. */
const launches = {
  resolveDebugConfiguration(folder, given) {
    const editor = vscode.window.activeTextEditor;
    if (!given.type && editor && editor.document.languageId === "irl") {
      Object.assign(given, { type: "irl", request: "launch", name: "Program" });
    }
    given.program = given.program || (editor ? editor.document.fileName : undefined);
    if (!given.arms) {
      const arms = vscode.workspace.getConfiguration("armwerk").get("arms") || [];
      if (arms.length) given.arms = arms;
    }
    return given;
  },
};

const adapters = {
  createDebugAdapterDescriptor() {
    return new vscode.DebugAdapterExecutable(command(), ["debug-adapter"]);
  },
};

async function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider("irl", launches),
    vscode.debug.registerDebugAdapterDescriptorFactory("irl", adapters),
    vscode.commands.registerCommand("armwerk.restart", async () => {
      if (client) await client.stop();
      await start();
    }),
  );
  await start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
