"""The command `kmodes-study`. Import the modules by name."""
